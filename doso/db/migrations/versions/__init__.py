"""The steps; each names the one before it. Raise doso.db.migrate.HEAD with a new one."""
