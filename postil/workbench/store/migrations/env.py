"""Run migrations on the connection that `open_store` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from postil.workbench.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
    render_as_batch=True,  # SQLite cannot alter a table in place
)
with context.begin_transaction():
    context.run_migrations()
