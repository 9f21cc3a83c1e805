/** The words of the page of an invitation in Spanish. */
export default Object.freeze({
    "invite.title": "Invitación",
    "invite.welcome": "Le invitan a Muster en {host}. Fije su propia contraseña e iniciará sesión.",
    "invite.name": "Su nombre aquí",
    "invite.team": "Equipo",
    "invite.until": "Válida hasta",
    "invite.password": "Contraseña nueva",
    "invite.rule": "Al menos 8 caracteres. Sirve una frase que solo usted conozca; nadie de este "
        + "servidor se la pedirá nunca.",
    "invite.show": "Mostrar lo que escribo",
    "invite.short": "Se necesitan al menos 8 caracteres.",
    "invite.long": "Se admiten como máximo 1024 bytes.",
    "invite.do": "Fijar la contraseña e iniciar sesión",
    "invite.once": "La invitación sirve una vez: después nadie puede usarla.",
    "invite.set": "Su contraseña está fijada. Inicie sesión como {name} con ella.",
    "invite.signIn": "Ir al inicio de sesión",
    "invite.over": "Esta invitación terminó: se usó, se retiró o pasó su plazo. Si ya fijó su contraseña "
        + "con ella, inicie sesión; si no, pida otra.",
    "invite.notWhole": "Esta dirección no está completa. Abra otra vez el enlace de la invitación, o "
        + "escanee otra vez su código.",
});
