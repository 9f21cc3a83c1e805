/** The frame of the app: its head, the links to its four tabs, and the parts in each tab. */
import { countingOf } from "../../console/shared/deliveries.js";
import { root } from "../../console/shared/http.js";
import { hrefOf } from "../../console/shared/route.js";
import { Countdown } from "../../console/shared/saying.js";
import { Component, html, usePage, useSlice } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";
import { connectionWords } from "./connection.js";
import { NewVersion, ThisPhone } from "./phone.js";
import { tabOf, tabs, tabsFor } from "./tabs.js";

export function Frame() {
    const { route, parts, running } = useSlice(({ route, parts, running }) => ({ route, parts, running }));
    const tab = tabOf(route);
    const shown = parts.filter((part) => part.tab === tab);
    return html`<div class="me">
        <${Head} /><${NewVersion} />
        <main key=${tab} id="main" class="me-main" tabindex="-1" aria-label=${t(`me.app.${tab}`)}>
            ${shown.map(({ name, Panel, isMissing }) => html`<${Guard} key=${name} name=${name}>${
        isMissing ? html`<${Missing} />` : Panel ? html`<${Panel} ...${{ [name]: running[name] }} />`
            : html`<p role="status" class="quiet">${t("list.loading")}</p>`}<//>`)}
            ${tab === "phone" && html`<${ThisPhone} />`}
        </main>
        <${Counted} /><${Tabs} tab=${tab} />
    </div>`;
}

/** The countdown of an SOS, visible on every tab so that the person can cancel the SOS. */
function Counted() {
    const counting = useSlice(({ deliveries }) => countingOf(deliveries));
    const { outbox } = usePage();
    return counting && html`<${Countdown} key=${counting.id} declaration=${counting}
        cancel=${() => outbox.cancel(counting.id)} />`;
}

function Head() {
    const { connection, own, said, notice } = useSlice(
        ({ connection, own, said, notice }) => ({ connection, own, said, notice }));
    const { serverNow } = usePage();
    const { state, words, banner } = connectionWords(connection, own, serverNow());
    return html`<header class="me-head">
        <h1><img src=${`${root}muster.svg`} alt="" width="28" height="28" /> Muster</h1>
        <p id="connection" class="connection" role="status" data-state=${state}>${words}</p>
    </header>
    <p id="not-live" class="not-live" role="alert" hidden=${banner === ""}>${banner}</p>
    <p id="notice" class="notice" role="alert" hidden=${notice === ""}>${notice}</p>
    <p id="said" class="said" role="status">${said}</p>`;
}

function Tabs({ tab }) {
    const viewers = useSlice(({ viewers: found }) => found);
    return html`<nav class="me-tabs" aria-label=${t("me.app.tabs")}>
        ${tabsFor(viewers).map((name) => html`<a key=${name} href=${name === tabs[0] ? "#/" : hrefOf(name)}
            aria-current=${name === tab ? "page" : undefined}>${t(`me.app.${name}`)}</a>`)}
    </nav>`;
}

function Missing() {
    return html`<p class="card fault" role="alert">${t("me.app.missing")}</p>`;
}

/** Contains the failure of one part, so that the other parts stay. */
class Guard extends Component {
    componentDidCatch(error) {
        console.error(`The part ${this.props.name} failed.`, error);
        this.setState({ hasFailed: true });
    }

    render({ children }, { hasFailed }) {
        return hasFailed ? html`<${Missing} />` : children;
    }
}
