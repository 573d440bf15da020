"""What a WhatsApp body is when it is no text: media left out, a deleted message, a line of the app itself."""

from __future__ import annotations

import re

from ingest.importers._whatsapp_header import MARKS, visible

_OMITTED = (
    "omitted|ausgeschlossen|weggelassen|omitid[oa]s?|omis|absente?s?|omess[oaie]|ocult[oa]s?|ocultad[oa]s?|"
    "(?:tidak|tak) disertakan|weggelaten|niet inbegrepen|без медиафайлов|пропущен[оаы]?|отсутству[ею]т|pominięt[oye]|"
    "dahil edilmedi|utelämna[dt]e?s?|utelatt|udeladt|jätetty pois|vynechán[oay]?|kihagyva|exclus[eă]?|omise|"
    "παραλείφθηκε|"
    "省略|略去|含まれていません|생략|제외|استبعاد|استُبعد|غير مرفق|הושמט[הו]?|लोप|छोड़|"
    "หมายเลขสื่อ|ไม่รวม|bị bỏ qua|без медіафайлів"
)
_ATTACHED = (
    "file attached|datei angehängt|archivo adjunto|fichier joint|arquivo anexado|ficheiro anexado|file allegato|"
    "allegato|berkas terlampir|file terlampir|bestand bijgevoegd|файл добавлен|файл додано|dosya ekli|plik załączony|"
    "załączono plik|bifogad fil|vedlagt fil|vedhæftet fil|tiedosto liitetty|soubor přiložen|csatolt fájl|文件附件|"
    "档案附件|檔案附件|ファイル添付|파일 첨부|الملف مرفق|ملف مرفق|קובץ מצורף|संलग्न"
)
_DELETED = (
    "this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|"
    "se eliminó este mensaje|este mensaje fue eliminado|eliminaste este mensaje|ce message a été supprimé|"
    "vous avez supprimé ce message|tu as supprimé ce message|(?:esta )?mensagem apagada|essa mensagem foi apagada|"
    "esta mensagem foi (?:apagada|eliminada)|você apagou (?:esta|essa) mensagem|questo messaggio è stato eliminato|"
    "hai eliminato questo messaggio|pesan ini (?:telah )?dihapus|(?:anda|kamu) (?:telah )?menghapus pesan ini|"
    "dit bericht (?:is|werd) verwijderd|(?:u|je) hebt dit bericht verwijderd|bu mesaj silindi|bu mesajı sildiniz|"
    "(?:данное|это) сообщение удалено|вы удалили (?:данное|это) сообщение|це повідомлення видалено|"
    "ta wiadomość została usunięta|usunięto tę wiadomość|usunąłeś tę wiadomość|تم حذف هذه الرسالة|حذفت هذه الرسالة|"
    "لقد حذفت هذه الرسالة|הודעה זו נמחקה|מחקת הודעה זו|(?:此|这条|這則)(?:消息|訊息)已被?(?:删除|刪除)|"
    "[您你]已?(?:删除|刪除)了?(?:这条|這則|此)(?:消息|訊息)|このメッセージは削除されました|メッセージを削除しました|"
    "이 메시지는 삭제되었습니다|이 메시지를 삭제했습니다|यह (?:संदेश|मैसेज) (?:हटा|मिटा|डिलीट).*|tämä viesti on poistettu|"
    "viesti poistettiin|(?:det här )?meddelandet (?:har )?raderats?|"
    "denne meldingen ble slettet|denne besked blev slettet|"
    "tato zpráva byla odstraněna|ezt az üzenetet törölték|acest mesaj a fost șters|tin nhắn này đã bị xóa|"
    "ข้อความนี้ถูกลบ(?:แล้ว)?|mesej ini telah dipadamkan"
)
_EDITED = (
    "edited|bearbeitet|edit[óo]|editad[oa]|modifié|modificato|diedit|telah diedit|bewerkt|изменено|отредактировано|"
    "düzenlendi|edytowan[aoy]|redigera[dt]|redigeret|redigert|muokattu|upraven[ao]|编辑|編輯|編集|수정|تعديل|נערכה|संपादित"
)
_SYSTEM = (
    "end-to-end encrypted|ende-zu-ende|cifrados? de extremo a extremo|chiffrés? de bout en bout|"
    "criptografia de ponta a ponta|crittografat[ie] end-to-end|terenkripsi secara end-to-end|end-to-end versleuteld|"
    "сквозным шифрованием|uçtan uca|端到端加密|端對端加密|エンドツーエンド|종단간|"
    "created (?:this |the )?group|added you|changed (?:the|this) (?:subject|group)|changed to \\+|changed their phone|"
    "changed (?:the )?(?:group )?(?:description|name|icon|settings)|joined using|security code|"
    "turned (?:on|off) disappearing|pinned a message|now an admin|no longer an admin|missed (?:voice|video|group) call|"
    "started a (?:call|video call)|hat die gruppe|hat das gruppenbild|hat den betreff|creó (?:el|este) grupo|"
    "cambió (?:el asunto|el nombre|la descripción|el ícono)|a créé (?:le|ce) groupe|a changé (?:l'|le |la )|"
    "criou (?:o|este) grupo|mudou (?:o nome|a descrição|a imagem)|ha creato il gruppo|ha cambiato|"
    "(?:membuat|telah membuat) grup|mengubah (?:subjek|nama|deskripsi|ikon)|bergabung (?:melalui|menggunakan)|"
    "heeft de groep|создал[аи]?? группу|изменил[аи]? (?:тему|название|описание|иконку)|grubu oluşturdu"
)
_GROUP_VERBS = (
    "left|added|removed|joined|was added|was removed|is now|created|changed|pinned|turned|blocked|unblocked|"
    "verließ|hat|wurde|salió|añadió|agregó|eliminó|a quitté|a ajouté|a été|est|saiu|adicionou|removeu|è uscito|"
    "ha aggiunto|è stato|keluar|menambahkan|mengeluarkan|ditambahkan|heeft|вышел|вышла|добавил|добавила|ayrıldı"
)
_FILE = r"[^<>\n]*\.\w{2,5}"
_MEDIA_BODY = re.compile(
    rf"<[^<>\n]*(?:{_OMITTED})[^<>\n]*>|<[^<>\n:：]{{1,30}}\s?[:：]\s*{_FILE}>|[^\n]{{0,120}}(?:{_OMITTED})",
    re.IGNORECASE,
)
_BRACED_MEDIA = re.compile(rf"<[^<>\n]*(?:{_OMITTED})[^<>\n]*>|<[^<>\n:：]{{1,30}}\s?[:：]\s*{_FILE}>", re.IGNORECASE)
_KINDS = (
    "image|photo|video|audio|sticker|gif|document|contact card|voice message|bild|foto|dokument|kontaktkarte|imagen|"
    "vídeo|documento|tarjeta de contacto|immagine|imagem|figurinha|afbeelding|gambar|dokumen|stiker|kartu kontak|"
    "изображение|картинка|видео|аудио|стикер|документ|图片|圖片|视频|影片|音频|语音|文档|画像|動画|音声|사진|동영상|صورة|فيديو|görüntü|resim"
)
_BARE_MEDIA = re.compile(rf"(?:{_FILE} • .*)?(?:{_KINDS})\s?(?:{_OMITTED})\.?", re.IGNORECASE)
_ATTACHED_LINE = re.compile(rf"{_FILE}\s\((?:{_ATTACHED})\)", re.IGNORECASE)
_CAMERA_LINE = re.compile(r"(?:IMG|VID|PTT|AUD|DOC|STK)-\d{8}-WA\d+\.\w{2,5}\s\([^()\n]{3,40}\)")
_DELETED_BODY = re.compile(rf"<?(?:{_DELETED})\s?[.。]?>?", re.IGNORECASE)
_EDITED_END = re.compile(rf"\s*[{MARKS}]*<[^<>\n]{{0,60}}(?:{_EDITED})[^<>\n]{{0,20}}>[{MARKS}\s]*$", re.IGNORECASE)
_MARKED_FILE = re.compile(rf"[{MARKS}]+<[^<>\n:：]{{1,30}}\s?[:：]\s*{_FILE}>")
_SYSTEM_LINE = re.compile(_SYSTEM, re.IGNORECASE)
_YOU = re.compile(r"(?:you|your|du|ihr|tú|vous|você|anda|kamu|je|u|вы|ты|siz|您|你)\b", re.IGNORECASE)


def is_deleted(body: str) -> bool:
    """Whether the whole body is the app's word for a message taken back."""
    return _DELETED_BODY.fullmatch(visible(body)) is not None


def is_media(body: str) -> bool:
    """Whether the whole body stands for a picture, sound or file that the export leaves out or beside it."""
    text = visible(body)
    if _BRACED_MEDIA.fullmatch(text) or _BARE_MEDIA.fullmatch(text):
        return True
    if _ATTACHED_LINE.fullmatch(text) or _CAMERA_LINE.fullmatch(text):
        return True
    return is_marked(body) and len(text) < 160 and _MEDIA_BODY.fullmatch(text) is not None


def without_attachment(body: str) -> str:
    """The caption of a body that names its attachment, the body itself otherwise."""
    first, newline, rest = body.partition("\n")
    if newline and (_ATTACHED_LINE.fullmatch(visible(first)) or _CAMERA_LINE.fullmatch(visible(first))):
        return rest
    marked = _MARKED_FILE.sub("", body) if "<" in body else body
    return marked if marked.strip() else body


def without_edit_mark(body: str) -> str:
    """The body without the app's remark that it was edited."""
    return _EDITED_END.sub("", body) if "<" in body else body


def is_marked(body: str) -> bool:
    """Whether the app itself wrote the body: it begins with the left-to-right mark."""
    return body.startswith("\u200e")


def is_system(body: str) -> bool:
    """Whether a line speaks in the app's words about the group or its encryption."""
    return _SYSTEM_LINE.search(body) is not None


def speaks_of(body: str, author: str) -> bool:
    """Whether a body the app wrote tells what its author did (iOS labels such lines with the actor)."""
    text = visible(body)
    after = text[len(author) :].strip()
    if text.startswith(author) and re.match(rf"(?:{_GROUP_VERBS})\b", after, re.IGNORECASE):
        return True
    return _YOU.match(text) is not None and re.search(rf"\b(?:{_GROUP_VERBS})\b", text, re.IGNORECASE) is not None
