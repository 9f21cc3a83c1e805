/** The words of the page of an invitation in Chinese. */
export default Object.freeze({
    "invite.title": "邀请",
    "invite.welcome": "您受邀使用 {host} 上的 Muster。设置自己的密码后即登录。",
    "invite.name": "您在此的用户名",
    "invite.team": "团队",
    "invite.until": "有效至",
    "invite.password": "密码",
    "invite.rule": "至少 8 个字符。只有您知道的一句话就很好；此服务器的人员绝不会向您索要。",
    "invite.show": "显示输入的内容",
    "invite.short": "至少需要 8 个字符。",
    "invite.long": "最多 1024 字节。",
    "invite.do": "设置密码并登录",
    "invite.once": "邀请只能使用一次：之后任何人都不能再用。",
    "invite.set": "密码已设置。请以 {name} 登录。",
    "invite.signIn": "前往登录",
    "invite.over": "此邀请已失效：已使用、已撤回或已过期。如果您已用它设置密码，请登录；否则请索取新的邀请。",
    "invite.notWhole": "此网址不完整。请重新打开邀请链接，或重新扫描二维码。",
});
