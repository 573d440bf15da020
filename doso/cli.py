"""The `doso` command: every subcommand on one page, errors as one line."""

from __future__ import annotations

import sys
from importlib.metadata import version

import click

from doso.errors import DosoError

#: Subcommands load when they are called, so that `doso --help` and `doso serve` start at once.
COMMANDS = {
    "serve": "doso.cli_serve:serve",
    "import": "doso.cli_memory:import_",
    "ask": "doso.cli_ask:ask",
    "evidence": "doso.cli_memory:evidence",
    "entities": "doso.cli_memory:entities",
    "facts": "doso.cli_memory:facts",
    "reembed": "doso.cli_memory:reembed",
    "reextract": "doso.cli_memory:reextract",
    "keys": "doso.cli_admin:keys",
    "models": "doso.cli_admin:models",
    "doctor": "doso.cli_doctor:doctor",
}
EXIT_ERROR = 2


class LazyGroup(click.Group):
    """A group whose commands are imported by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        import importlib  # noqa: PLC0415 - only with a command

        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("doso"), prog_name="doso")
def root() -> None:
    """Doso: a private memory that any AI client can talk to. All state lives under DOSO_HOME."""
    from doso.telemetry import configure_logging  # noqa: PLC0415 - only with a command

    configure_logging("WARNING")  # on standard error; `serve` goes on with DOSO_LOG_LEVEL


def main() -> None:
    """Entry point: what Doso refuses on purpose is one line on standard error, exit code 2."""
    try:
        root.main(standalone_mode=True)
    except DosoError as error:
        click.echo(f"doso: {' '.join(error.message.split())}", err=True)
        sys.exit(EXIT_ERROR)


if __name__ == "__main__":
    main()
