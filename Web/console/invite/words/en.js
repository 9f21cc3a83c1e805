/** The words of the page of an invitation in English. */
export default Object.freeze({
    "invite.title": "Invitation",
    "invite.welcome": "You are invited to Muster at {host}. Set a password of your own, and you are "
        + "signed in.",
    "invite.name": "Your name here",
    "invite.team": "Team",
    "invite.until": "Valid until",
    "invite.password": "Password",
    "invite.rule": "At least 8 characters. A sentence that only you know is good; nobody who runs this server "
        + "will ever ask for it.",
    "invite.show": "Show what I type",
    "invite.short": "Needs at least 8 characters.",
    "invite.long": "Needs at most 1,024 bytes.",
    "invite.do": "Set the password and sign in",
    "invite.once": "The invitation works once; after that nobody can use it.",
    "invite.set": "Your password is set. Sign in as {name} with it.",
    "invite.signIn": "Go to the sign-in",
    "invite.over": "This invitation is no longer valid: it was used, withdrawn, or its time has passed. If you "
        + "have set a password by it, sign in; otherwise ask for another invitation.",
    "invite.notWhole": "This address is incomplete. Open the link of the invitation again, or scan its "
        + "code again.",
});
