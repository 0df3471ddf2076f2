import { costSection } from "./html/cost";
import { renderSection, type Section } from "./html/elements";
import { externalModelsSections } from "./html/external-models";
import { html, Markup } from "./html/markup";
import { memorySection } from "./html/memory";
import { modelKeys } from "./html/model-keys";
import { modelsSection } from "./html/models";
import { keyFigures, pageHeader } from "./html/overview";
import { platformPicture } from "./html/platform-picture";
import { resourcesSection } from "./html/resources";
import { scalingSections } from "./html/scaling";
import { serverGroupsSections } from "./html/server-groups";
import { speedSections } from "./html/speed";
import { storageSection } from "./html/storage";
import { stylesheet } from "./html/stylesheet";
import { topologySection } from "./html/topology";
import { violationsSection } from "./html/violations";
import { isDeployable, type PlanResult } from "./result";

/** Self-contained page without scripts or requests. Deterministic. */
export function htmlReport(result: PlanResult): string {
  const { plan, resources } = result;
  const keys = modelKeys(plan.models);
  const findings = violationsSection(result);
  const refused = !isDeployable(result);
  const described =
    plan.models.length + plan.unplaced.length > 0 ? [memorySection(plan, keys), modelsSection(plan, keys)] : [];
  const sections = [
    topologySection(plan, result.cluster, keys),
    ...described,
    ...speedSections(plan, keys),
    ...scalingSections(plan, keys),
    ...externalModelsSections(plan.externalModels),
    ...serverGroupsSections(plan),
    costSection(plan),
    storageSection(plan),
    ...(findings && !refused ? [findings] : []),
    resourcesSection(resources),
  ];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${plan.environment} · inference plan</title>
<style>${new Markup(stylesheet)}</style>
</head>
<body>
${pageHeader(result)}
<main>
${refused && findings ? renderSection(findings) : undefined}
${keyFigures(result)}
<div class="platform-picture" tabindex="0" role="group" aria-label="Path of a request">${platformPicture(result)}</div>
${navigation(sections)}
${sections.map(renderSection)}
</main>
<footer><p>Planned in ${result.seconds.toFixed(1)} s by inference-stacks. GB is 10⁹ bytes, GiB is 2³⁰ bytes; a month has 730 hours.</p></footer>
</body>
</html>
`;
  return page.text;
}

function navigation(sections: readonly Section[]): Markup {
  return html`<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}
