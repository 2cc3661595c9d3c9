-- What BenchBase has in addition: a sum as a binary fraction, and foreign keys that delete.
ALTER TABLE customer ALTER COLUMN c_ytd_payment TYPE double precision;
ALTER TABLE district DROP CONSTRAINT fkey_district_1;
ALTER TABLE district ADD CONSTRAINT fkey_district_1 FOREIGN KEY (d_w_id)
    REFERENCES warehouse (w_id) ON DELETE CASCADE;
ALTER TABLE customer DROP CONSTRAINT fkey_customer_1;
ALTER TABLE customer ADD CONSTRAINT fkey_customer_1 FOREIGN KEY (c_w_id, c_d_id)
    REFERENCES district (d_w_id, d_id) ON DELETE CASCADE;
ALTER TABLE history DROP CONSTRAINT fkey_history_1;
ALTER TABLE history ADD CONSTRAINT fkey_history_1 FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id)
    REFERENCES customer (c_w_id, c_d_id, c_id) ON DELETE CASCADE;
ALTER TABLE history DROP CONSTRAINT fkey_history_2;
ALTER TABLE history ADD CONSTRAINT fkey_history_2 FOREIGN KEY (h_w_id, h_d_id)
    REFERENCES district (d_w_id, d_id) ON DELETE CASCADE;
ALTER TABLE stock DROP CONSTRAINT fkey_stock_1;
ALTER TABLE stock ADD CONSTRAINT fkey_stock_1 FOREIGN KEY (s_w_id)
    REFERENCES warehouse (w_id) ON DELETE CASCADE;
ALTER TABLE stock DROP CONSTRAINT fkey_stock_2;
ALTER TABLE stock ADD CONSTRAINT fkey_stock_2 FOREIGN KEY (s_i_id)
    REFERENCES item (i_id) ON DELETE CASCADE;
ALTER TABLE oorder DROP CONSTRAINT fkey_orders_1;
ALTER TABLE oorder ADD CONSTRAINT fkey_orders_1 FOREIGN KEY (o_w_id, o_d_id, o_c_id)
    REFERENCES customer (c_w_id, c_d_id, c_id) ON DELETE CASCADE;
ALTER TABLE new_order DROP CONSTRAINT fkey_new_order_1;
ALTER TABLE new_order ADD CONSTRAINT fkey_new_order_1 FOREIGN KEY (no_w_id, no_d_id, no_o_id)
    REFERENCES oorder (o_w_id, o_d_id, o_id) ON DELETE CASCADE;
ALTER TABLE order_line DROP CONSTRAINT fkey_order_line_1;
ALTER TABLE order_line ADD CONSTRAINT fkey_order_line_1 FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id)
    REFERENCES oorder (o_w_id, o_d_id, o_id) ON DELETE CASCADE;
ALTER TABLE order_line DROP CONSTRAINT fkey_order_line_2;
ALTER TABLE order_line ADD CONSTRAINT fkey_order_line_2 FOREIGN KEY (ol_supply_w_id, ol_i_id)
    REFERENCES stock (s_w_id, s_i_id) ON DELETE CASCADE;
