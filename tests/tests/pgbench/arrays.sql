SELECT tags[1:2], '12:30:00'::time, $$a ; b :c$$ FROM items WHERE id = 7;
SELECT E'it\'s; :here', "note" FROM items WHERE id = 8; SELECT 2 -- two; statements
;
