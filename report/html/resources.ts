import type { RecordedResource } from "../../offline/run";
import { breakable, type Section } from "./elements";
import { plural } from "./format";
import { groupBy } from "./group-by";
import { html, type Markup } from "./markup";

type Children = ReadonlyMap<string | undefined, readonly RecordedResource[]>;

/** Every resource below its component. Inputs stay out: they hold secrets. */
export function resourcesSection(resources: readonly RecordedResource[]): Section {
  const known = new Set(resources.map((r) => r.urn));
  const parentOf = (r: RecordedResource) => (r.parent !== undefined && known.has(r.parent) ? r.parent : undefined);
  const children: Children = groupBy(resources, parentOf);
  const components = resources.filter((r) => r.type.startsWith("inference:")).length;
  return {
    id: "resources",
    title: "Resources",
    lead: `${plural(resources.length, "resource")} in ${plural(components, "component")}. Open a component to see what it creates.`,
    body: html`<div class="tree">${list(undefined, children)}</div>`,
  };
}

function list(parent: string | undefined, children: Children): Markup | undefined {
  const members = children.get(parent);
  return members && html`<ul>${members.map((r) => html`<li>${branch(r, children)}</li>\n`)}</ul>`;
}

function branch(resource: RecordedResource, children: Children): Markup {
  const label = html`<span class="resource">${resource.name}</span> <code>${breakable(resource.type)}</code>${resource.options.protect ? html` <span class="tag">protected</span>` : undefined}`;
  const inside = list(resource.urn, children);
  if (!inside) {
    return html`<div class="leaf">${label}</div>`;
  }
  const summary = html`<summary>${label} <small>${descendants(resource.urn, children)}</small></summary>${inside}`;
  return resource.parent === undefined ? html`<details open>${summary}</details>` : html`<details>${summary}</details>`;
}

function descendants(urn: string, children: Children): number {
  return (children.get(urn) ?? []).reduce((sum, child) => sum + 1 + descendants(child.urn, children), 0);
}
