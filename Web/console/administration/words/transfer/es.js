/** The words of imports, exports and what many people are given in Spanish. */
export default Object.freeze({
    // Faults of a table

    // Import
    "administration.import.what": "Una tabla de usuarios como la guarda una hoja de cálculo (CSV): se crean "
        + "todos o ninguno. Solo la columna del nombre es obligatoria.",
    "administration.import.file": "Tabla, hasta 32 MiB; o suéltela aquí",
    "administration.import.tooLarge": "La tabla pasa de 32 MiB: impórtela por partes.",
    "administration.import.spreadsheet": "Esto no es CSV, sino un archivo de Excel o de otra hoja de cálculo. "
        + "Guárdelo allí como CSV y elija ese archivo.",
    "administration.import.notText": "Esto no es CSV, sino una imagen u otra clase de archivo. Guarde una tabla "
        + "como CSV y elija ese archivo.",
    "administration.import.empty": "Este archivo está vacío.",
    "administration.import.noRows": "Esta tabla tiene un encabezado y ninguna fila: no hay a quién importar.",
    "administration.import.makesTeams": "Crear los equipos que no existan; si no, son errores",
    "administration.import.device": "Nombre de un dispositivo para cada uno; vacío para ninguno",
    "administration.import.deviceHint": "Con un dispositivo, a cada uno se le puede dar un teléfono enseguida",
    "administration.import.try": "Buscar errores", "administration.import.trying": "Buscando…",
    "administration.import.do": "Importar todo",
    "administration.import.doing": "Importando. Puede tardar minutos; los demás informes esperan.",
    "administration.import.wouldMake": "Sin errores. Crearía {words}.",
    "administration.import.newTeams": "Equipos nuevos: {names}.",
    "administration.import.teamAlike": "{name} (nuevo; ¿quiere decir {other}?)",
    "administration.import.done": "Se crearon {words}.", "administration.import.doneTitle": "Importación hecha",
    "administration.import.again": "Importar otra tabla",
    "administration.import.users": { one: "{count} usuario", other: "{count} usuarios" },
    "administration.import.teams": { one: "{count} equipo", other: "{count} equipos" },
    "administration.import.crews": { one: "{count} cuadrilla", other: "{count} cuadrillas" },
    "administration.import.devices": { one: "{count} dispositivo", other: "{count} dispositivos" },
    "administration.import.faults": {
        one: "No se importó nada: {count} error.",
        other: "No se importó nada: {count} errores.",
    },
    "administration.import.line": "línea {line}", "administration.import.cell": "línea {line}, {column}",
    "administration.import.moreFaults": "Y {count} más.",
    "administration.import.unsure": "El servidor no responde y puede haberla importado: mire los usuarios antes "
        + "de repetir.",

    // What people are given to begin with
    "administration.handOut.open": "Darles teléfonos, invitaciones o contraseñas…",
    "administration.handOut.title": "Lo que se da a estas personas para empezar",
    "administration.handOut.what": { one: "Para {count} persona.", other: "Para {count} personas." },
    "administration.handOut.tooMany": "Como máximo {count} a la vez: elija menos, por equipo o función.",
    "administration.handOut.kind": "Qué",
    "administration.handOut.as.owntracks": "Un teléfono configurado con un código: cada cual lo escanea con "
        + "OwnTracks",
    "administration.handOut.as.invitation": "Una invitación: cada cual fija su propia contraseña",
    "administration.handOut.as.password": "Una contraseña creada por esta página; sustituye a la anterior "
        + "y anula las invitaciones sin usar",
    "administration.handOut.make": { one: "Crear para {count} persona", other: "Crear para {count} personas" },
    "administration.handOut.progress": "{done} de {all} hechos",
    "administration.handOut.stopped": "Se detuvo en {name}: {reason}",
    "administration.handOut.goOn": "Seguir con {count} más",
    "administration.handOut.made": { one: "Hecho para {count} persona.", other: "Hecho para {count} personas." },
    "administration.handOut.leftOut": "Sin invitación, porque ya tienen contraseña: {names}.",
    "administration.handOut.once": "Son secretos y solo se muestran ahora: imprímalos o guárdelos antes de "
        + "salir. Borre el archivo cuando los haya entregado.",
    "administration.handOut.print": "Imprimir una tarjeta para cada uno",
    "administration.handOut.save": "Guardar como tabla",
    "administration.handOut.losing": "¿Cerrar sin imprimir ni guardar?",
    "administration.handOut.lose": "Cerrar y perderlos",
    "administration.handOut.lost.owntracks": {
        one: "El código de {count} persona se pierde: solo se muestra ahora, y el teléfono queda sin "
            + "configurar. Su token es válido hasta que se revoque en la página del dispositivo.",
        other: "Los códigos de {count} personas se pierden: solo se muestran ahora, y los teléfonos quedan sin "
            + "configurar. Sus tokens son válidos hasta que se revoquen en las páginas de los dispositivos.",
    },
    "administration.handOut.lost.invitation": {
        one: "La invitación de {count} persona se pierde: solo se muestra ahora. Es válida hasta que venza o se "
            + "retire en Invitaciones.",
        other: "Las invitaciones de {count} personas se pierden: solo se muestran ahora. Son válidas hasta que "
            + "venzan o se retiren en Invitaciones.",
    },
    "administration.handOut.lost.password": {
        one: "La contraseña de {count} persona se pierde: solo se muestra ahora, y la anterior ya no es válida. "
            + "Esa persona solo puede iniciar sesión con otra nueva.",
        other: "Las contraseñas de {count} personas se pierden: solo se muestran ahora, y las anteriores ya no "
            + "son válidas. Esas personas solo pueden iniciar sesión con otras nuevas.",
    },
    "administration.handOut.card.owntracks": "Instale OwnTracks, permita la configuración externa, escanee este "
        + "código y prohíbala otra vez. Esta tarjeta es secreta.",
    "administration.handOut.card.invitation": "Escanee este código y fije su propia contraseña. Sirve una vez. "
        + "Esta tarjeta es secreta.",

    // Export
    "administration.export.positions": "Posiciones", "administration.export.of": "De quién",
    "administration.export.of.everyone": "todas las personas", "administration.export.of.team": "un equipo",
    "administration.export.of.person": "una persona", "administration.export.person": "Persona",
    "administration.export.from": "Desde", "administration.export.to": "Hasta, según el reloj de este dispositivo",
    "administration.export.noSpan": "El final debe ser posterior al comienzo.",
    "administration.export.form": "Formato",
    "administration.export.devices": { one: "{count} dispositivo", other: "{count} dispositivos" },
    "administration.export.do": "Exportar las posiciones",
    "administration.export.progress": "{done} de {all} dispositivos, {size}",
    "administration.export.done": "El archivo está completo: {size}.",
    "administration.export.empty": {
        one: "{count} dispositivo no tiene posiciones en ese tiempo.",
        other: "{count} dispositivos no tienen posiciones en ese tiempo.",
    },
    "administration.export.gone": {
        one: "{count} dispositivo se eliminó mientras tanto.",
        other: "{count} dispositivos se eliminaron mientras tanto.",
    },
    "administration.export.cancelled": "Cancelado: no se creó ningún archivo.",
    "administration.export.failed": "No se creó ningún archivo: {reason}",
    "administration.export.tooLarge": "Más de lo que este navegador puede reunir: elija menos tiempo o menos "
        + "personas.",
    "administration.export.others": "Usuarios y zonas",
    "administration.export.usersWhat": "Todos los usuarios, como tabla que se puede importar otra vez, y todas "
        + "las zonas.",
    "administration.export.usersOfTeam": "Los usuarios de su equipo como tabla, y todas las zonas.",
    "administration.export.users": "Usuarios en CSV", "administration.export.regions": "Zonas en GeoJSON",
    "administration.export.read": { one: "{count} leído", other: "{count} leídos" },
});
