// What OpenAI's client for Node makes of the server; prints it as JSON.
"use strict";
const OpenAI = require("openai");

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const QUESTION = [{ role: "user", content: "Where does Nina live?" }];
const LOOK_UP = {
  type: "function",
  function: {
    name: "look_up",
    description: "Looks something up.",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
};

async function plain() {
  const reply = await client.chat.completions.create({ model: "doso", messages: QUESTION });
  const [choice] = reply.choices;
  return {
    text: choice.message.content,
    reasoning: choice.message.reasoning_content,
    annotations: choice.message.annotations.map((one) => one.url_citation),
    marks: reply.doso.citations.map((one) => one.mark),
    finish: choice.finish_reason,
    usage: [reply.usage.prompt_tokens, reply.usage.completion_tokens],
    requestId: typeof reply._request_id,
  };
}

async function stream() {
  const runner = client.chat.completions.stream({
    model: "doso",
    messages: QUESTION,
    stream_options: { include_usage: true },
  });
  let reasoning = "";
  let doso = null;
  for await (const chunk of runner) {
    reasoning += chunk.choices[0]?.delta?.reasoning_content ?? "";
    doso = chunk.doso ?? doso;
  }
  const whole = await runner.finalChatCompletion();
  return {
    text: whole.choices[0].message.content,
    reasoning,
    marks: doso.citations.map((one) => one.mark),
    finish: whole.choices[0].finish_reason,
    usage: [whole.usage.prompt_tokens, whole.usage.completion_tokens],
  };
}

async function tools(isStreamed) {
  const messages = [{ role: "user", content: "Where does Nina live, and how warm is it there?" }];
  const asked = { model: "doso", messages, tools: [LOOK_UP] };
  const reply = isStreamed
    ? await client.chat.completions.stream(asked).finalChatCompletion()
    : await client.chat.completions.create(asked);
  const [choice] = reply.choices;
  const [call] = choice.message.tool_calls;
  messages.push(choice.message, { role: "tool", tool_call_id: call.id, content: "21 degrees" });
  const answer = await client.chat.completions.create({ model: "doso", messages, tools: [LOOK_UP] });
  return {
    finish: choice.finish_reason,
    call: [call.id, call.function.name, call.function.arguments],
    answer: answer.choices[0].message.content,
  };
}

async function responses() {
  const whole = await client.responses.create({ model: "doso", input: "Where does Nina live?" });
  const events = await client.responses.create({ model: "doso", input: "Where does Nina live?", stream: true });
  let text = "";
  let last = null;
  for await (const event of events) {
    if (event.type === "response.output_text.delta") text += event.delta;
    last = event;
  }
  return {
    text: whole.output_text,
    streamed: text,
    last: last.type,
    usage: [last.response.usage.input_tokens, last.response.usage.output_tokens],
  };
}

async function failure(more, used = client) {
  try {
    const reply = await used.chat.completions.create({ model: "doso", messages: QUESTION, ...more });
    if (more.stream) for await (const _ of reply);
  } catch (error) {
    return [error.constructor.name, error.status ?? null, error.code ?? null];
  }
  return null;
}

const asking = (text) => [{ role: "user", content: text }];

async function main() {
  const vectors = await client.embeddings.create({ model: "doso-embed", input: ["one", "two words"] });
  const stranger = new OpenAI({ baseURL, apiKey: "doso_0000000000000000_" + "x".repeat(43), maxRetries: 0 });
  return {
    plain: await plain(),
    stream: await stream(),
    responses: await responses(),
    tools: await tools(false),
    tools_streamed: await tools(true),
    embeddings: [vectors.data.length, vectors.data[0].embedding.length],
    unknown_model: await failure({ model: "gpt-4o" }),
    wrong_key: await failure({}, stranger),
    refused: await failure({ n: 2 }),
    provider_down: await failure({ messages: asking("Where does Nina live? refuse") }),
    breaks_off: await failure({ messages: asking("Where does Nina live? break off"), stream: true }),
  };
}

main().then((told) => console.log(JSON.stringify(told)));
