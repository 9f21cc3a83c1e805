/** The words of the page of an invitation in Japanese. */
export default Object.freeze({
    "invite.title": "招待",
    "invite.welcome": "{host} のMusterに招待されています。パスワードを設定するとサインインします。",
    "invite.name": "ここでのあなたのユーザー名",
    "invite.team": "チーム",
    "invite.until": "有効期限",
    "invite.password": "パスワード",
    "invite.rule": "8文字以上。自分だけが知る文が適しています。サーバーの担当者が尋ねることはありません。",
    "invite.show": "入力を表示する",
    "invite.short": "8文字以上にしてください。",
    "invite.long": "1024バイト以下にしてください。",
    "invite.do": "パスワードを設定してサインイン",
    "invite.once": "招待は一度だけ使えます。その後は誰も使えません。",
    "invite.set": "パスワードを設定しました。{name} としてサインインしてください。",
    "invite.signIn": "サインインへ",
    "invite.over": "この招待は終了しました。使用済み、取り下げ、または期限切れです。パスワードを設定済みならサインインし、そうでなければ新しい招待を依頼してください。",
    "invite.notWhole": "このアドレスは完全ではありません。招待のリンクを開き直すか、コードを読み直してください。",
});
