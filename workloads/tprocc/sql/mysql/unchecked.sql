-- Foreign keys are declared, and the sessions do not check them.
SET SESSION foreign_key_checks = 0;
