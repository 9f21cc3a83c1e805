/** The words of forms, of what is copied, and of sizes in Spanish. */
export default Object.freeze({
    // Sizes of files and memory
    "size.gigabytes": "{count} GB",
    "size.megabytes": "{count} MB",
    "size.kilobytes": "{count} kB",

    // A text to be copied
    "copy.copy": "Copiar",
    "copy.copied": "Copiado.",
    "copy.selected": "Está seleccionado: cópielo con el teclado.",
    "copy.copyWhat": "Copiar: {name}",

    // What is wrong with a field
    "field.look": "No se guardó: mire los campos marcados.",
    "field.required": "Este dato es necesario.",
    "field.name": "Se necesitan de 1 a 64 letras sin acentos, cifras o . _ - @, sin espacios.",
    "field.crewName": "Se necesitan de 1 a 100 caracteres visibles, con espacios simples.",
    "field.email": "Se necesita una sola dirección de correo, sin nombre y sin espacios.",
    "field.displayName": "Se necesitan entre 1 y {most} caracteres en una sola línea, ninguno invisible.",
    "field.phone": "Se necesitan cifras; puede haber + ( ) - . / y espacios.",
    "field.oneOf": "Se necesita uno de estos: {names}.",
    "field.noTeam": "No existe ese equipo.",
    "field.noTeamNamed": "No existe el equipo {name}.",
    "field.noUser": "Ese usuario no existe o usted no puede verlo.",
    "field.notInTeam": "No es una persona del equipo.",
    "field.noCrew": "El equipo no tiene esa cuadrilla.",
    "field.crewNeedsTeam": "Una cuadrilla es parte de un equipo: elija también el equipo.",
    "field.userExists": "Ya existe un usuario {name}.",
    "field.range": "Se necesita un número entre {least} y {most}.",
    "field.currentPassword": "No es la contraseña actual.",
    "field.repeats": "El nombre de la línea {line} otra vez.",
    "field.notColumn": "No existe esa columna; hay {names}.",
    "field.noName": "Falta la columna de los nombres; hay {names}.",
    "field.twice": "Esta columna está dos veces.",
    "field.cells": "La fila tiene {cells} celdas y la primera línea {columns}.",

    // An address that only its own device finds
    "reach.typed": "Ningún otro dispositivo alcanza este servidor en {host}: en cada dispositivo, esa "
        + "dirección es él mismo. Escriba la dirección del servidor en su red o en Internet. Atiende en ella si se "
        + "inicia con {command}.",
    "reach.opened": "Ningún otro dispositivo alcanza este servidor en {host}: en cada dispositivo, esa "
        + "dirección es él mismo. Abra esta página en la dirección del servidor en su red o en Internet y créelo "
        + "allí de nuevo. Atiende en ella si se inicia con {command}. Detrás de un proxy, inícielo con {option} y su "
        + "dirección pública.",
});
