"""Clients' housekeeping is told from questions, and answered without the memory."""

import json

import pytest

from ask.housekeeping import Chore, recognise
from ask.question import Turn
from ask.wish import Effort, Means, Wish
from doso.llm.chat import Profile
from doso.llm.ports import Ability
from tests.ask.test_answer import cited, events_of, finished, text_of
from tests.support.asking import Asked
from tests.support.gated_models import GatedModels

TRANSCRIPT = "<chat_history>\nUSER: When does the ferry to Lombok leave?\nASSISTANT: At seven.\n</chat_history>"
TITLE_TASK = f"""### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: {{ "title": "your concise title here" }}
### Chat History:
{TRANSCRIPT}"""
TAGS_TASK = f"""### Task:
Generate 1-3 broad tags categorizing the main themes of the chat history.
### Output:
JSON format: {{ "tags": ["tag1", "tag2", "tag3"] }}
{TRANSCRIPT}"""
FOLLOW_UPS_TASK = f"""### Task:
Suggest 3-5 relevant follow-up questions that the user might naturally ask next in this conversation.
### Output:
JSON format: {{ "follow_ups": ["Question 1?"] }}
{TRANSCRIPT}"""
QUERIES_TASK = f"""### Task:
Analyze the chat history to determine the necessity of generating search queries.
### Output:
{{ "queries": ["query1"] }}
{TRANSCRIPT}"""
FIRST_MESSAGE_TITLE = """
- you will generate a short title based on the first message a user begins a conversation with
- ensure it is not more than 80 characters long
- do not use quotes or colons"""

HOUSEKEEPING = [
    (TITLE_TASK, Chore.TITLE),
    (TAGS_TASK, Chore.TAGS),
    (FOLLOW_UPS_TASK, Chore.FOLLOW_UPS),
    (QUERIES_TASK, Chore.QUERIES),
    (
        "Provide a concise, 5-word-or-less title for the conversation, using its same language, with no punctuation. "
        '||>User:\n"Hello"\n||>Response:\n"Hi"',
        Chore.TITLE,
    ),
    (
        "Please generate a four to five word title summarizing our conversation without any lead-in, punctuation, or "
        "additional text.",
        Chore.TITLE,
    ),
    (
        "Based on the chat history, give this conversation a name.\nKeep it short - 10 characters max, no quotes.",
        Chore.TITLE,
    ),
    (
        "Please reply with a title for the chat that is 3-4 words in length, no additional text or explanation.",
        Chore.TITLE,
    ),
    (
        'Create a very short title (max 5 words) for a conversation based on the following prompt:\n"Where is Ana?"\n'
        "Respond with the title only, no additional text.",
        Chore.TITLE,
    ),
    (
        "User: When does it leave?\nAssistant: At seven.\n\n"
        "Generate a title of at most 5 words for the conversation above.",
        Chore.TITLE,
    ),
    ("Summarize the discussion briefly in 200 words or less to use as a prompt for future context.", Chore.SUMMARY),
    ("你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题", Chore.TITLE),
    (
        "### Task:\nYou are an autocompletion system. Continue the text in `<text>`.\n<text>When does</text>",
        Chore.COMPLETION,
    ),
]


@pytest.mark.parametrize(("prompt", "chore"), HOUSEKEEPING)
def test_housekeeping_is_recognised(prompt: str, chore: Chore) -> None:
    found = recognise(prompt, "")
    assert found is not None
    assert found.chore is chore


@pytest.mark.parametrize(
    "instructions",
    [
        FIRST_MESSAGE_TITLE,
        "You are a title generator. Read the first message and create a short title. Output only the title.",
        "Generate a concise title (5-6 words max) for the main topic of this conversation. Return only the title.",
        "You are an expert in crafting pithy titles for chatbot conversations. Reply with a brief title, nothing else.",
    ],
)
def test_housekeeping_is_recognised_by_the_clients_instructions(instructions: str) -> None:
    found = recognise("When does the ferry to Lombok leave?", instructions)
    assert found is not None
    assert found.chore is Chore.TITLE


@pytest.mark.parametrize(
    "question",
    [
        "What is the title of the book Karim lent me?",
        "Suggest a title for my talk, no more than 5 words.",
        "Give me a title for the conversation with Rania about the boat trip, at most 5 words",
        "Which tags did Ana put on the photo?",
        "What follow-up questions did the doctor ask?",
        "Summarise my chats with Rania.",
        "Did I write a title for the poster in the chat?",
        "Generate a JSON list of everybody who was in the chat with Rania",
        "What was the search query Bo told me about?",
        "### Task:\nRespond to the user query using the provided context, with inline citations.\n<context>x</context>",
        "When does the ferry leave?",
    ],
)
def test_questions_are_no_housekeeping(question: str) -> None:
    assert recognise(question, "") is None


@pytest.mark.parametrize(
    "instructions",
    [
        "You are a helpful assistant. After each answer suggest three follow-up questions.",
        "Answer in JSON. Give every section a title.",
        "You are a friendly companion. Keep the conversation short and use only plain words.",
    ],
)
def test_ordinary_instructions_are_no_housekeeping(instructions: str) -> None:
    assert recognise("When does the ferry leave?", instructions) is None


async def test_a_title_is_made_by_the_model_without_retrieval(asked: Asked) -> None:
    await asked.chat("Ana: The ferry to Lombok leaves at seven.")
    models = GatedModels({Profile.TITLE: [['{"title": ', '"⛴ Ferry"}']], Profile.DRAFT_FAST: [["never"]]})
    events = await events_of(asked, TITLE_TASK, Means(models))
    assert text_of(events) == '{"title": "⛴ Ferry"}'
    (call,) = models.calls
    assert "Ana" not in call.prompt
    assert [message.text for message in call.request.messages] == [TITLE_TASK]
    assert not [span for span in finished(events).trace.spans if span.name.startswith("retrieval")]
    assert cited(events).is_verified is None


async def test_the_model_that_drafts_does_the_chores_of_others(asked: Asked) -> None:
    models = GatedModels({Profile.DRAFT_FAST: [["Ferry"]]}, can=Ability(has_schema=True))
    wish = Wish(effort=Effort.EXPERT, instructions=FIRST_MESSAGE_TITLE)
    assert text_of(await events_of(asked, "When does the ferry leave?", Means(models), wish)) == "Ferry"
    assert models.calls[0].request.reply is None


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (TITLE_TASK, {"title": "When does the ferry to Lombok"}),
        (TAGS_TASK, {"tags": ["Ferry", "Lombok", "Leave"]}),
        (FOLLOW_UPS_TASK, {"follow_ups": []}),
        (QUERIES_TASK, {"queries": []}),
    ],
)
async def test_without_a_model_the_form_is_kept(asked: Asked, prompt: str, reply: dict[str, object]) -> None:
    assert json.loads(text_of(await events_of(asked, prompt, Means(GatedModels())))) == reply


async def test_without_a_model_a_title_is_the_first_words(asked: Asked) -> None:
    history = (Turn("user", "when does the ferry leave? I forgot"), Turn("assistant", "At seven."))
    prompt = "Please generate a four to five word title summarizing our conversation without any punctuation."
    events = await events_of(asked, prompt, Means(GatedModels()), history=history)
    assert text_of(events) == "When does the ferry leave"
