-- What DBT-2 keeps as binary fractions in MySQL: taxes, discounts, prices, quantities and counts.
ALTER TABLE warehouse MODIFY w_tax double;
ALTER TABLE district MODIFY d_tax double;
ALTER TABLE customer MODIFY c_discount double, MODIFY c_payment_cnt double, MODIFY c_delivery_cnt double;
ALTER TABLE item MODIFY i_price double;
ALTER TABLE stock MODIFY s_quantity double, MODIFY s_ytd double, MODIFY s_order_cnt double,
    MODIFY s_remote_cnt double;
ALTER TABLE order_line MODIFY ol_quantity double;
