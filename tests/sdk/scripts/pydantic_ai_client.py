"""What pydantic-ai makes of the server; prints it as JSON."""

# It runs in an environment of its own, which the type checker does not see.
# mypy: ignore-errors

import asyncio
import json
import sys

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.messages import ThinkingPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

BASE_URL, KEY = sys.argv[1:3]
QUESTION = "Where does Nina live?"


class Place(BaseModel):
    city: str


def provider(key=KEY):
    return OpenAIProvider(openai_client=AsyncOpenAI(base_url=BASE_URL, api_key=key, max_retries=0))


def agent(name="doso", key=KEY, kind=OpenAIChatModel, **more):
    return Agent(kind(name, provider=provider(key)), **more)


def told(result):
    usage = result.usage() if callable(result.usage) else result.usage
    return {"text": result.output, "usage": [usage.input_tokens, usage.output_tokens]}


async def plain(**more):
    result = await agent(**more).run(QUESTION)
    thoughts = [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ThinkingPart)
    ]
    return told(result) | {"reasoning": "".join(thoughts)}


async def stream(**more):
    async with agent(**more).run_stream(QUESTION) as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
        usage = result.usage() if callable(result.usage) else result.usage
        return {"text": "".join(pieces), "pieces": len(pieces), "usage": [usage.input_tokens, usage.output_tokens]}


async def tools(is_streamed):
    calls = []
    asking = agent()

    @asking.tool_plain
    def look_up(q: str) -> str:
        """Looks something up."""
        calls.append(q)
        return "21 degrees"

    question = "Where does Nina live, and how warm is it there?"
    if not is_streamed:
        return {"calls": calls, "answer": (await asking.run(question)).output}
    async with asking.run_stream(question) as result:
        return {"calls": calls, "answer": await result.get_output()}


async def structured():
    result = await agent(output_type=NativeOutput(Place)).run("Where does Nina live? as json")
    return result.output.city


async def failure(text=QUESTION, is_streamed=False, settings=None, **more):
    try:
        if is_streamed:
            async with agent(**more).run_stream(text) as result:
                await result.get_output()
        else:
            await agent(**more).run(text, model_settings=settings)
    except Exception as error:  # noqa: BLE001 - which one it is, is what the test wants to know
        body = getattr(error, "body", None)
        code = body.get("code") if isinstance(body, dict) else None
        return [type(error).__name__, getattr(error, "status_code", None), code]
    return None


async def main():
    return {
        "plain": await plain(),
        "stream": await stream(),
        "responses": await plain(kind=OpenAIResponsesModel),
        "responses_stream": await stream(kind=OpenAIResponsesModel),
        "tools": await tools(False),
        "tools_streamed": await tools(True),
        "structured": await structured(),
        "unknown_model": await failure(name="gpt-4o"),
        "wrong_key": await failure(key="doso_0000000000000000_" + "x" * 43),
        "refused": await failure(settings={"extra_body": {"n": 2}}),
        "provider_down": await failure("Where does Nina live? refuse"),
        "breaks_off": await failure("Where does Nina live? break off", is_streamed=True),
    }


print(json.dumps(asyncio.run(main())))
