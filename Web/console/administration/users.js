/** Users: what is said of them, which are found, and what a role may do with them here. Pure. */
import { byName, legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

/** The roles that a user may have. */
export const roles = ["member", "leader", "analyst", "gateway", "admin"];

export function roleWords(role) {
    return roles.includes(role) ? t(`administration.role.${role}`) : role;
}

/** What is said of a user beside the name. */
export function userWords({ displayName, role, team, crew }) {
    return listed([displayName && legible(displayName), roleWords(role), team && legible(team), crew && legible(crew)]);
}

/** Whether the caller may make this user's devices and their tokens. As the server's `Access.mayChangeDevices`. */
export function mayChangeDevices(me, user) {
    return me.role === "admin" || me.name === user.name
        || (me.role === "leader" && user.role === "member" && Boolean(me.team) && user.team === me.team);
}

/**
 * Whether the caller may let a device of this user show whom the user may see, and the user may see anyone.
 * As the server's `Access.mayChangeKeys`.
 */
export function mayOpenSight(me, user) {
    return (me.role === "admin" || me.name === user.name) && user.role !== "member";
}

/** Whether the caller may remove this user's devices, with what they reported. */
export function mayErase(me, user) {
    return me.role === "admin" || me.name === user.name;
}

/** The users whose names, team, crew, address or number has the text, and who have the role and the team. */
export function chosenUsers(users, { text = "", role = "", team = "" }) {
    const wanted = text.trim().toLocaleLowerCase();
    return users.filter((user) => (role === "" || user.role === role)
        && (team === "" || (team === onNoRoll ? isOnNoRoll(user) : (user.team ?? noTeam) === team))
        && (wanted === "" || [
            user.name, user.displayName, user.team, user.crew, user.email, user.phone,
        ].some((each) =>
            each?.toLocaleLowerCase().includes(wanted))))
        .sort((left, right) => byName(left.name, right.name));
}

/** Whether a user should be in a team and is in none: they are on no roll, and no leader sees them. */
export function isOnNoRoll({ role, team }) {
    return !team && (role === "member" || role === "leader");
}

/** The choice of those who are in no team, and of those among them who are on no roll; no team has such a name. */
export const noTeam = "/";
export const onNoRoll = "//";
