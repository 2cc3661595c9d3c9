-- Makes the routines run on the node of their warehouse: their first argument is the value by which
-- `warehouse` is spread. The helper that draws numbers has to be on every node.
SELECT pg_catalog.count(create_distributed_function(p.oid::pg_catalog.regprocedure))
FROM pg_catalog.pg_proc p
WHERE p.pronamespace = pg_catalog.current_schema()::pg_catalog.regnamespace AND p.proname = 'dbms_random';
SELECT pg_catalog.count(
    create_distributed_function(p.oid::pg_catalog.regprocedure, '$1', colocate_with := 'warehouse')
)
FROM pg_catalog.pg_proc p
WHERE p.pronamespace = pg_catalog.current_schema()::pg_catalog.regnamespace
    AND p.proname IN (
        'neword',
        'payment',
        'delivery',
        'ostat',
        'slev',
        'tprocc_new_order',
        'tprocc_payment',
        'tprocc_order_status',
        'tprocc_delivery',
        'tprocc_stock_level'
    )
