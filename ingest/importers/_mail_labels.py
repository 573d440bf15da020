"""What mail services call the folders that people don't keep, in the languages they speak."""

from __future__ import annotations

SPAM = frozenset(
    (
        "spam",
        "spam-mail",
        "junk",
        "junk e-mail",
        "correo no deseado",
        "no deseado",
        "courrier indésirable",
        "indésirable",
        "pourriel",
        "posta indesiderata",
        "lixo eletrônico",
        "ongewenste e-mail",
        "спам",
        "gereksiz",
        "垃圾邮件",
        "垃圾郵件",
        "迷惑メール",
        "스팸",
        "스팸함",
        "skräppost",
        "roskaposti",
        "søppelpost",
        "البريد غير المرغوب فيه",
        "nevyžádaná pošta",
        "levélszemét",
    )
)
TRASH = frozenset(
    (
        "trash",
        "bin",
        "papierkorb",
        "papelera",
        "corbeille",
        "cestino",
        "lixeira",
        "lixo",
        "prullenbak",
        "sampah",
        "tempat sampah",
        "корзина",
        "кошик",
        "kosz",
        "çöp kutusu",
        "çöp",
        "已删除邮件",
        "垃圾桶",
        "回收站",
        "ゴミ箱",
        "휴지통",
        "المهملات",
        "papperskorgen",
        "papirkurv",
        "papirkurven",
        "roskakori",
        "koš",
        "kuka",
        "thùng rác",
    )
)
CHATS = frozenset(
    (
        "chat",
        "chats",
        "chat-verlauf",
        "чаты",
        "чат",
        "チャット",
        "聊天",
        "채팅",
    )
)
