"""`doso ask`: an answer in the terminal as it is written, and what stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from doso.cli_memory import in_kit, json_option, user_option

if TYPE_CHECKING:
    from api.kit import Kit
    from api.wire.whole import Heard
    from doso.ids import OwnerId


@click.command()
@click.argument("question")
@click.option(
    "--effort",
    type=click.Choice(["fast", "expert"]),
    default="fast",
    show_default=True,
    help="One draft of what is found, or also live sources and citations that were checked.",
)
@click.option("--chat", "chat_ids", multiple=True, help="Look into this chat first; may be repeated.")
@click.option("--url", "urls", multiple=True, help="Read this page for the answer; may be repeated.")
@click.option("--zone", help="Your IANA time zone.")
@user_option
@json_option
def ask(
    *,
    question: str,
    effort: str,
    chat_ids: tuple[str, ...],
    urls: tuple[str, ...],
    zone: str | None,
    user: str,
    as_json: bool,
) -> None:
    """Answer a question from the memory, with its sources."""
    from api.schemas.evidence import EvidenceIn, ScopeIn  # noqa: PLC0415
    from ask.wish import Effort, Wish  # noqa: PLC0415
    from doso.cli_asking import run_ask  # noqa: PLC0415

    scope = ScopeIn("preferred", chat_ids=list(chat_ids)) if chat_ids else ScopeIn()
    body, wish = EvidenceIn(question, scope=scope, timezone=zone), Wish(effort=Effort(effort), urls=urls)

    async def work(kit: Kit, owner: OwnerId) -> Heard:
        return await run_ask(kit, owner, body, wish, is_quiet=as_json)

    heard = in_kit(work, user)
    if as_json:
        from api.schemas.answers import Telling, to_doso  # noqa: PLC0415

        told = {"answer": heard.text, "doso": to_doso(heard, Telling(has_trace=True))}
        click.echo(msgspec.json.encode(told))
        return
    from doso.cli_show import sources_text  # noqa: PLC0415

    if sources := sources_text(heard, zone or "UTC"):
        click.echo(f"\n{sources}")
