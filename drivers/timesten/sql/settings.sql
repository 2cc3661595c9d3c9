-- The attributes of the connection and its database: rows of name and value.
CALL ttConfiguration()
