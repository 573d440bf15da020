"""What a WhatsApp chat becomes: messages with their speakers, everything else counted with its reason."""

# ruff: noqa: E501 - lines of exports stand as they are written

from __future__ import annotations

from pathlib import Path

import pytest

from doso.errors import NoText
from doso.records import DocumentKind, Source
from ingest.importers.whatsapp import build, chat_title
from ingest.ports import ImportOptions
from tests.support.imports import Read, read, write


def chat(folder: Path, text: str, name: str = "chat.txt", options: ImportOptions | None = None) -> Read:
    return read(write(folder, name, text), options)


def test_lines_in_a_message_that_look_like_heads_stay_its_text(tmp_path: Path) -> None:
    text = "11/03/26, 10:00 - Ana: Plan:\n12/03/26 dentist\n13/03/26, 09:00 - school: bring cake\n\nend\n11/03/26, 10:05 - Budi: ok"
    got = chat(tmp_path, text)
    assert got.texts == ["Plan:\n12/03/26 dentist\n13/03/26, 09:00 - school: bring cake\n\nend", "ok"]


def test_several_look_alikes_in_one_message_stay_its_text(tmp_path: Path) -> None:
    body = "Plan\n13/03/26, 09:00 - school: cake\n14/03/26, 09:00 - gym: shoes\n15/03/26, 08:00 - cinema"
    after = "".join(f"\n11/03/26, 10:0{minute} - Budi: {minute}" for minute in range(5, 9))
    got = chat(tmp_path, f"11/03/26, 10:00 - Ana: {body}{after}")
    assert got.texts == [body, "5", "6", "7", "8"]


def test_a_pasted_older_line_of_a_stranger_stays_text(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "21/03/26, 10:00 - Ana: look\n01/03/26, 09:00 - Boss: fired\n21/03/26, 10:05 - Budi: no!\n21/03/26, 10:06 - Ana: yes",
    )
    assert got.texts == ["look\n01/03/26, 09:00 - Boss: fired", "no!", "yes"]


def test_a_message_that_arrived_late_is_a_message(tmp_path: Path) -> None:
    lines = [
        "20/03/26, 10:00 - Ana: a",
        "21/03/26, 10:00 - Budi: b",
        "20/03/26, 18:00 - Ana: late",
        "21/03/26, 10:05 - Budi: c",
    ]
    assert chat(tmp_path, "\n".join(lines)).texts == ["a", "b", "late", "c"]


def test_placeholders_and_lines_of_the_app_are_counted_not_stored(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "22.08.18, 14:42 - Ana: <Medien ausgeschlossen>\n22.08.18, 14:43 - Ana: Diese Nachricht wurde gelöscht.\n"
        "22.08.18, 14:44 - Ana hat die Gruppe verlassen\n22.08.18, 14:45 - Ana: bis bald",
    )
    assert got.texts == ["bis bald"]
    assert got.codes == ["placeholder", "placeholder", "system"]
    assert [skip.ref for skip in got.skipped] == ["line 1", "line 2", "line 3"]


@pytest.mark.parametrize(
    "body",
    [
        "<Media omitted>", "<Multimedia omitido>", "<Médias omis>", "<Media omessi>", "<Mídia oculta>", "<Media weggelaten>",
        "<Media tidak disertakan>", "<Без медиафайлов>", "<Pominięto multimedia>", "<Medya dahil edilmedi>", "<省略媒體檔案>",
        "<メディアは含まれていません>", "<تم استبعاد الوسائط>", "<Video note omitted>",
        "\u200eimage omitted", "image omitted", "\u200evideo omitted", "\u200eGIF omitted", "\u200eBild weggelassen",
        "\u200eimagen omitida", "\u200eimage absente", "\u200egambar tidak disertakan",
        "\u200e<attached: 00000012-PHOTO-2026-03-11-10-00-00.jpg>", "\u200e<Anhang: 0001-AUDIO.opus>", "\u200e<adjunto: a.jpg>",
        "IMG-20260311-WA0001.jpg (file attached)", "PTT-20260311-WA0002.opus (Datei angehängt)",
        "\u200eVID-20260311-WA0003.mp4 (archivo adjunto)", "plan 2026.pdf (fichier joint)", "IMG-20260311-WA0009.jpg (fayl əlavə)",
        "This message was deleted", "This message was deleted.", "You deleted this message", "\u200eYou deleted this message.",
        "Se eliminó este mensaje.", "Ce message a été supprimé", "Pesan ini telah dihapus", "Anda telah menghapus pesan ini",
        "Mensagem apagada", "Questo messaggio è stato eliminato", "Данное сообщение удалено", "此消息已被删除", "Bu mesaj silindi",
    ],
)  # fmt: skip
def test_media_and_deleted_messages_are_placeholders_in_every_language(body: str, tmp_path: Path) -> None:
    got = chat(tmp_path, f"13/03/26, 10:00 - Ana: {body}\n13/03/26, 10:01 - Ana: text")
    assert (got.texts, got.codes) == (["text"], ["placeholder"])


@pytest.mark.parametrize(
    "body",
    [
        "I <3 you",
        "<html> is a tag",
        "the image omitted the sun, sadly",
        "He said: this message was deleted",
        "a.pdf (old)",
    ],
)
def test_ordinary_text_is_no_placeholder(body: str, tmp_path: Path) -> None:
    got = chat(tmp_path, f"13/03/26, 10:00 - Ana: {body}")
    assert (got.texts, got.codes) == ([body], [])


def test_a_caption_is_kept_without_the_name_of_its_picture(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "13/03/26, 10:00 - Ana: IMG-20260313-WA0001.jpg (file attached)\nour new boat\n"
        "13/03/26, 10:01 - Ana: sunset \u200e<attached: 0002-PHOTO.jpg>",
    )
    assert got.texts == ["our new boat", "sunset"]


@pytest.mark.parametrize(
    "mark", ["<This message was edited>", "\u200e<This message was edited>", "<Diese Nachricht wurde bearbeitet.>", "<Se editó este mensaje.>"]
)  # fmt: skip
def test_an_edited_message_keeps_its_identity_and_loses_the_remark(mark: str, tmp_path: Path) -> None:
    before = chat(tmp_path, "13/03/26, 10:00 - Ana: at five\n13/03/26, 10:00 - Ana: ok", "a.txt")
    after = chat(tmp_path, f"13/03/26, 10:00 - Ana: at six {mark}\n13/03/26, 10:00 - Ana: ok", "a.txt")
    assert after.texts == ["at six", "ok"]
    assert [message.id for message in after.messages] == [message.id for message in before.messages]


def test_a_grown_export_keeps_every_identity_and_equal_lines_stay_two(tmp_path: Path) -> None:
    old = "11/03/26, 10:00 - Ana: hi\n11/03/26, 10:00 - Ana: hi\n11/03/26, 10:01 - me: I live in Solo"
    first = chat(tmp_path, old, options=ImportOptions(me=("me",)))
    second = chat(tmp_path, f"{old}\n12/03/26, 08:00 - Ana: new", options=ImportOptions(me=("me",)))
    assert len({message.id for message in first.messages}) == 3
    assert second.messages[:3] == first.messages
    assert len({message.id for message in second.messages}) == 4
    assert second.documents[0].uri == first.documents[0].uri


def test_a_message_deleted_later_does_not_shift_its_neighbours(tmp_path: Path) -> None:
    first = chat(tmp_path, "13/03/26, 10:00 - Ana: a\n13/03/26, 10:00 - Ana: b\n13/03/26, 10:00 - Ana: c")
    second = chat(
        tmp_path, "13/03/26, 10:00 - Ana: a\n13/03/26, 10:00 - Ana: This message was deleted\n13/03/26, 10:00 - Ana: c"
    )
    assert [message.id for message in second.messages] == [first.messages[0].id, first.messages[2].id]


def test_ios_lines_of_the_app_under_the_group_or_the_actor_are_no_messages(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "[13.03.26, 10:00:00] Trip: \u200eMessages and calls are end-to-end encrypted.\n"
        "\u200e[13.03.26, 10:00:01] Trip: \u200eAna created this group\n"
        "\u200e[13.03.26, 10:00:02] Ana: \u200eAna added Budi\n"
        "\u200e[13.03.26, 10:00:03] Ana: \u200eYou were added\n"
        "[13.03.26, 10:01:00] Ana: welcome\n",
    )
    assert got.texts == ["welcome"]
    assert got.codes == ["system"] * 4


def test_android_lines_of_the_app_end_the_message_before(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "13/03/26, 10:00 - Messages and calls are end-to-end encrypted.\n13/03/26, 10:01 - Ana: a\n13/03/26, 10:02 - Budi left\n"
        '13/03/26, 10:03 - Ana changed the subject from "x" to "Trip: Bali"\n13/03/26, 10:04 - Ana: b',
    )
    assert got.texts == ["a", "b"]
    assert got.codes == ["system"] * 3


@pytest.mark.parametrize("name", ["Dr: Ana", "Ana 👨‍👩‍👧‍👦", "+62 812-3456-7890", "Ana :)", "آنا", "O'Neil - Work"])
def test_names_may_hold_colons_emoji_and_numbers(name: str, tmp_path: Path) -> None:
    got = chat(tmp_path, f"13/03/26, 10:00 - {name}: a\n13/03/26, 10:01 - {name}: b: c\n13/03/26, 10:02 - Budi: d")
    assert [(message.author, message.text) for message in got.messages] == [(name, "a"), (name, "b: c"), ("Budi", "d")]


def test_direction_marks_and_the_tilde_of_strangers_do_not_end_up_in_names(tmp_path: Path) -> None:
    got = chat(tmp_path, "[13.03.26, 10:00:00] ~\u202fRania\u200f: a\n[13.03.26, 10:00:01] \u202a+62 812\u202c: b")
    assert [message.author for message in got.messages] == ["Rania", "+62 812"]


def test_a_poll_is_one_message_without_marks(tmp_path: Path) -> None:
    got = chat(
        tmp_path,
        "[13.03.26, 10:00:00] Ana: \u200ePOLL:\r\nWhere?\r\n\u200eOPTION: Here (\u200e2 votes)\r\n[13.03.26, 10:01:00] Ana: x",
    )
    assert got.texts == ["POLL:\nWhere?\nOPTION: Here (2 votes)", "x"]


def test_the_chat_is_a_thread_in_batches_under_one_identity(tmp_path: Path) -> None:
    text = "\n".join(
        f"13/03/26, {hour:02d}:{minute:02d} - Ana: {hour} {minute}" for hour in range(20) for minute in range(60)
    )
    got = chat(tmp_path, text, "WhatsApp Chat with Ana (1).txt")
    assert [len(document.messages) for document in got.documents] == [500, 500, 200]
    assert {(d.uri, d.chat_id, d.title, d.kind, d.source) for d in got.documents} == {
        (got.documents[0].uri, got.documents[0].chat_id, "Ana", DocumentKind.THREAD, Source.WHATSAPP)
    }
    assert got.progress[-1].done == got.progress[-1].total


def test_the_uploaded_name_and_not_the_temporary_one_names_the_chat(tmp_path: Path) -> None:
    line = "13/03/26, 10:00 - Ana: a"
    here = chat(tmp_path, line, "WhatsApp Chat with Ana.txt")
    there = chat(tmp_path, line, "tmp8f3", ImportOptions(origin="WhatsApp Chat with Ana.txt"))
    assert (there.documents[0].uri, there.documents[0].title) == (here.documents[0].uri, "Ana")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("WhatsApp Chat with Ana.txt", "Ana"), ("WhatsApp Chat - Trip 2026.zip", "Trip 2026"), ("WhatsApp Chat mit Ana.txt", "Ana"),
        ("Chat de WhatsApp con Familia de Ana.txt", "Familia de Ana"), ("Discussion WhatsApp avec Léa.txt", "Léa"),
        ("Chat WhatsApp dengan Tante Sari.txt", "Tante Sari"), ("Conversa do WhatsApp com João (2).txt", "João"),
        ("Ana ile WhatsApp Sohbeti.txt", "Ana"), ("_chat.txt", None), ("export.txt", None),
    ],
)  # fmt: skip
def test_the_file_name_tells_the_chat_in_every_language(name: str, title: str | None) -> None:
    assert chat_title(name) == title


def test_chats_in_files_without_a_telling_name_stay_apart(tmp_path: Path) -> None:
    one = chat(tmp_path, "13/03/26, 10:00 - Ana: a", "_chat.txt")
    two = chat(tmp_path, "13/03/26, 10:00 - Ana: b", "_chat.txt")
    assert one.documents[0].chat_id != two.documents[0].chat_id


def test_a_stated_chat_id_is_taken(tmp_path: Path) -> None:
    got = chat(tmp_path, "13/03/26, 10:00 - Ana: a", options=ImportOptions(chat_id="family"))
    assert (got.documents[0].chat_id, got.documents[0].uri) == ("family", "whatsapp:family")


def test_a_file_without_a_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "x.txt", "just words\nand more"), importer=build())


def test_a_nul_in_a_message_is_taken_out(tmp_path: Path) -> None:
    assert read(write(tmp_path, "c.txt", "13/03/26, 10:00 - Ana: bad \0 here"), importer=build()).texts == ["bad  here"]
