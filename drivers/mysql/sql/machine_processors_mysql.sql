-- The processors of the group that all sessions are in by default, such as 0-3.
SELECT vcpu_ids
FROM information_schema.resource_groups
WHERE resource_group_name = 'USR_default'
