-- What DBT-2 keeps as binary fractions in PostgreSQL: taxes, discounts, prices, quantities and counts.
ALTER TABLE warehouse ALTER COLUMN w_tax TYPE real;
ALTER TABLE district ALTER COLUMN d_tax TYPE real;
ALTER TABLE customer ALTER COLUMN c_discount TYPE real, ALTER COLUMN c_payment_cnt TYPE real,
    ALTER COLUMN c_delivery_cnt TYPE real;
ALTER TABLE item ALTER COLUMN i_price TYPE real;
ALTER TABLE stock ALTER COLUMN s_quantity TYPE real, ALTER COLUMN s_ytd TYPE real,
    ALTER COLUMN s_order_cnt TYPE real, ALTER COLUMN s_remote_cnt TYPE real;
ALTER TABLE order_line ALTER COLUMN ol_quantity TYPE real;
