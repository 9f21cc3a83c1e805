/** What an admin of an empty server does first, with the way to each step. It stands where the people will be. */
import { useReading } from "../shared/reading.js";
import { firstScreen, hrefOf } from "../shared/route.js";
import { html, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";

/** Whether the server has nobody to show, and the user is one who can change that. Pure. */
export function isServerEmpty({ live, user, connection }) {
    return user?.role === "admin" && connection.state === "live" && live.members.size === 0;
}

export function FirstSteps() {
    const { regions, isShown } = useSlice(({ live, route }) => (
        { regions: live.regions, isShown: route.screen === firstScreen }));
    // Read anew each time that somebody comes back from a step.
    const { value: made } = useReading(isShown ? "first steps" : undefined, async (get) => {
        const [teams, users] = await Promise.all([get("teams?limit=1"), get("users?limit=2")]);
        // The admin who looks is a user, too.
        return { team: teams.items.length > 0, people: users.items.length > 1 };
    });
    const steps = [
        { name: "team", href: hrefOf("administration", "teams"), isDone: made?.team },
        { name: "people", href: hrefOf("administration", "import"), isDone: made?.people,
            other: hrefOf("administration", "people") },
        { name: "phones", href: hrefOf("administration", "people") },
        { name: "point", href: hrefOf("regions"), isDone: [...regions.values()].some(({ muster }) => muster) },
    ];
    return html`<section id="first-steps" class="first-steps" aria-labelledby="first-steps-title">
        <h3 id="first-steps-title">${t("first.title")}</h3>
        <ol>${steps.map(({ name, href, other, isDone }) => html`<li key=${name} data-done=${isDone ? "" : undefined}>
            <a href=${href}>${t(`first.${name}`)}</a>${isDone && html` <span class="done">${t("first.done")}</span>`}
            <p class="quiet">${t(`first.${name}What`)}</p>
            ${other && html`<a href=${other}>${t("first.oneByOne")}</a>`}
        </li>`)}</ol>
    </section>`;
}
