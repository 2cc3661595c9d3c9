SELECT SUM(total_app_commits), SUM(total_app_rollbacks) FROM TABLE(MON_GET_DATABASE(-2)) AS totals
