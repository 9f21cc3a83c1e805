/** People and what reports for them: users, teams, crews, devices; made, invited, imported, exported. */
import { Parts } from "../frame/parts.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Crews } from "./crews.js";
import { Devices } from "./devices.js";
import { Exports } from "./exports.js";
import { Import } from "./import.js";
import { Invitations } from "./invitations.js";
import { People } from "./people.js";
import { Teams } from "./teams.js";

/** The parts of the screen, in the order of their links. */
const parts = [
    { name: "people", Part: People }, { name: "invitations", Part: Invitations }, { name: "teams", Part: Teams },
    { name: "crews", Part: Crews }, { name: "devices", Part: Devices },
    { name: "import", Part: Import, isForAdmins: true }, { name: "export", Part: Exports },
];

/** @param {{rest: string[]}} properties what follows the screen's name in the address */
export function Screen({ rest }) {
    const user = useSlice(({ user }) => user);
    const open = parts.filter(({ isForAdmins }) => !isForAdmins || user?.role === "admin");
    const part = rest.length === 0 ? open[0] : open.find(({ name }) => name === rest[0]);
    if (!user) { return undefined; }
    return html`<div class="administration">
        <${Parts} screen="administration" label=${t("administration.parts")} current=${part?.name}
            parts=${open.map(({ name }) => ({ name, words: t(`administration.part.${name}`) }))} />
        ${part ? html`<${part.Part} key=${part.name} rest=${rest.slice(1)} me=${user} />`
        : html`<p>${t("screens.none")}</p>`}
    </div>`;
}
