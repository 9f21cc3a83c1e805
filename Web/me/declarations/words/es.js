/** The words of what a person says of themselves in Spanish. */
export default Object.freeze({
    "me.declarations.label": "Diga cómo está",
    "me.declarations.what": "Lo que dijo, y dónde está ahora",
    "me.declarations.sending": "{what}: en este teléfono, enviando…",
    "me.declarations.waits": "{what} ({time}): en este teléfono, aún sin enviar ({reason}). Se envía en cuanto se "
        + "alcance el servidor.",
    "me.declarations.kept": "{what} ({time}): en este teléfono. Se envía en cuanto responda el servidor.",
    "me.declarations.emergency": "Si puede, llame al número de emergencias.",
    "me.declarations.unkept": "Este teléfono no puede guardarlo: deje abierta esta página hasta que se envíe.",
    "me.declarations.server": "{what}: en el servidor {time}.",
    "me.declarations.late": "{what}: en el servidor {time}. Allí no cambió nada: sigue vigente una petición de ayuda o "
        + "algo más reciente.",
    "me.declarations.refused": "{what}: no se aceptó. El servidor dice: {reason}",
    "me.declarations.cancelled": "{what}: cancelado, no se envió nada.",
    "me.declarations.seen": "{what}: {name} lo ha visto.",
    "me.declarations.unseen": "{what}: en el servidor desde {time}. Nadie ha respondido todavía.",
    "me.declarations.clear": "«Ya no necesito ayuda»",
    "me.declarations.noPlace": "Esta aplicación no sabe dónde está usted ahora. Escríbaselo a sus responsables.",
    "me.declarations.end": "Ya no necesito ayuda…",
    "me.declarations.askEnd": "¿Retirar su petición de ayuda? Sus responsables verán que la retiró.",
    "me.declarations.endNow": "Retirarla",
    "me.declarations.messages": { one: "{count} mensaje", other: "{count} mensajes" },
    "me.declarations.positions": { one: "{count} posición", other: "{count} posiciones" },
});
