"""What LiteLLM's client makes of the server; prints it as JSON."""

# It runs in an environment of its own, which the type checker does not see.
# mypy: ignore-errors

import json
import sys

import litellm

BASE_URL, KEY = sys.argv[1:3]
LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks something up.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}


def complete(text, **more):
    messages = more.pop("messages", None) or [{"role": "user", "content": text}]
    asked = {"model": "openai/doso", "api_base": BASE_URL, "api_key": KEY, "max_retries": 0, "messages": messages}
    return litellm.completion(**(asked | more))


def plain():
    reply = complete("Where does Nina live?")
    message = reply.choices[0].message
    return {
        "text": message.content,
        "reasoning": message.reasoning_content,
        "annotations": [dict(one["url_citation"]) for one in message.annotations],
        "finish": reply.choices[0].finish_reason,
        "usage": [reply.usage.prompt_tokens, reply.usage.completion_tokens],
    }


def stream():
    chunks = list(complete("Where does Nina live?", stream=True, stream_options={"include_usage": True}))
    whole = litellm.stream_chunk_builder(chunks)
    return {
        "text": whole.choices[0].message.content,
        "reasoning": "".join(
            getattr(chunk.choices[0].delta, "reasoning_content", None) or "" for chunk in chunks if chunk.choices
        ),
        "finish": whole.choices[0].finish_reason,
        "usage": [whole.usage.prompt_tokens, whole.usage.completion_tokens],
    }


def tools(is_streamed):
    question = {"role": "user", "content": "Where does Nina live, and how warm is it there?"}
    reply = complete("", messages=[question], tools=[LOOK_UP], stream=is_streamed)
    if is_streamed:
        reply = litellm.stream_chunk_builder(list(reply))
    (call,) = reply.choices[0].message.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"}
    turn = [question, reply.choices[0].message.model_dump(), result]
    answer = complete("", messages=turn, tools=[LOOK_UP])
    return {
        "finish": reply.choices[0].finish_reason,
        "call": [call.id, call.function.name, call.function.arguments],
        "answer": answer.choices[0].message.content,
    }


def failure(**more):
    try:
        reply = complete(more.pop("text", "Where does Nina live?"), **more)
        if more.get("stream"):
            list(reply)
    except Exception as error:  # noqa: BLE001 - which one it is, is what the test wants to know
        return [type(error).__name__, getattr(error, "status_code", None)]
    return None


def main():
    vectors = litellm.embedding(
        model="openai/doso-embed", api_base=BASE_URL, api_key=KEY, input=["one", "two words"], encoding_format="float"
    )
    return {
        "plain": plain(),
        "stream": stream(),
        "tools": tools(False),
        "tools_streamed": tools(True),
        "embeddings": [len(vectors.data), len(vectors.data[0]["embedding"])],
        "unknown_model": failure(model="openai/gpt-4o"),
        "wrong_key": failure(api_key="doso_0000000000000000_" + "x" * 43),
        "refused": failure(n=2),
        "provider_down": failure(text="Where does Nina live? refuse"),
        "breaks_off": failure(text="Where does Nina live? break off", stream=True),
    }


print(json.dumps(main()))
