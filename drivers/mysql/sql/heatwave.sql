-- A row if HeatWave's part of the server has begun to work.
SHOW GLOBAL STATUS WHERE Variable_name = 'rapid_plugin_bootstrapped' AND Value = 'YES'
