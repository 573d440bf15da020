"""What LangChain's ChatOpenAI makes of the server; prints it as JSON."""

# It runs in an environment of its own, which the type checker does not see.
# mypy: ignore-errors

import json
import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

BASE_URL, KEY = sys.argv[1:3]
QUESTION = "Where does Nina live?"


@tool
def look_up(q: str) -> str:
    """Looks something up."""
    return f"21 degrees in {q}"


def model(**more):
    return ChatOpenAI(**({"model": "doso", "base_url": BASE_URL, "api_key": KEY, "max_retries": 0} | more))


def told(message):
    usage = message.usage_metadata
    return {
        "text": message.text if isinstance(message.text, str) else message.text(),
        "finish": message.response_metadata.get("finish_reason"),
        "usage": [usage["input_tokens"], usage["output_tokens"]],
    }


def stream(**more):
    whole = None
    for chunk in model(stream_usage=True, **more).stream(QUESTION):
        whole = chunk if whole is None else whole + chunk
    return told(whole)


def tools(is_streamed):
    asked = [HumanMessage("Where does Nina live, and how warm is it there?")]
    bound = model().bind_tools([look_up])
    reply = None
    if is_streamed:
        for chunk in bound.stream(asked):
            reply = chunk if reply is None else reply + chunk
    else:
        reply = bound.invoke(asked)
    (call,) = reply.tool_calls
    answer = bound.invoke([*asked, reply, ToolMessage(look_up.invoke(call["args"]), tool_call_id=call["id"])])
    return {"call": [call["id"], call["name"], call["args"]], "answer": answer.content}


def structured():
    schema = {
        "title": "place",
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    bound = model().with_structured_output(schema, method="json_schema", strict=True)
    return bound.invoke("Where does Nina live? as json")


def failure(text=QUESTION, is_streamed=False, **more):
    try:
        list(model(**more).stream(text)) if is_streamed else model(**more).invoke(text)
    except Exception as error:  # noqa: BLE001 - which one it is, is what the test wants to know
        body = getattr(error, "body", None)
        code = body.get("code") if isinstance(body, dict) else None
        return [type(error).__name__, getattr(error, "status_code", None), code]
    return None


def main():
    embeddings = OpenAIEmbeddings(model="doso-embed", base_url=BASE_URL, api_key=KEY, check_embedding_ctx_length=False)
    vectors = embeddings.embed_documents(["one", "two words"])
    return {
        "plain": told(model().invoke(QUESTION)),
        "stream": stream(),
        "responses": told(model(use_responses_api=True).invoke(QUESTION)),
        "responses_stream": stream(use_responses_api=True),
        "tools": tools(False),
        "tools_streamed": tools(True),
        "structured": structured(),
        "embeddings": [len(vectors), len(vectors[0])],
        "unknown_model": failure(model="gpt-4o"),
        "wrong_key": failure(api_key="doso_0000000000000000_" + "x" * 43),
        "refused": failure(n=2),
        "provider_down": failure("Where does Nina live? refuse"),
        "breaks_off": failure("Where does Nina live? break off", is_streamed=True),
    }


print(json.dumps(main()))
