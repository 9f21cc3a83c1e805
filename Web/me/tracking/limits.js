/** What a page cannot do, and how to set up OwnTracks, an app that can, with a code. */
import { faultWords } from "../../console/shared/faults.js";
import { html, usePage, useSlice, useState } from "../../console/shared/view.js";
import { t } from "../../console/shared/words.js";

export function Limits() {
    const user = useSlice(({ user }) => user);
    const page = usePage();
    /** The link, and the component that shows it. */
    const [made, setMade] = useState(undefined);
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const make = async () => {
        setState({ isBusy: true, fault: "" });
        try {
            const { ownTracksLink, SetUp } = await import("./owntracks.js");
            setMade({ SetUp, link: await ownTracksLink({ request: page.request, user: user.name }) });
            setState({ isBusy: false, fault: "" });
        } catch (error) {
            setState({ isBusy: false, fault: faultWords(error) });
        }
    };
    return html`<details id="tracking-limits">
        <summary>${t("me.tracking.limits")}</summary>
        <ul><li>${t("me.tracking.limitsLit")}</li><li>${t("me.tracking.limitsClosed")}</li>
            <li>${t("me.tracking.limitsOwnTracks")}</li></ul>
        ${!made && html`<p><button type="button" id="tracking-owntracks" class="plain"
            disabled=${state.isBusy} onClick=${make}>${t("me.tracking.setUp")}</button></p>`}
        <p class="fault" role="alert" hidden=${state.fault === ""}>${state.fault}</p>
        ${made && html`<${made.SetUp} link=${made.link} user=${user?.name ?? ""}
            onClose=${() => setMade(undefined)} />`}
    </details>`;
}
