import { describedGroups, type GroupsOfPlan } from "../server-groups";
import { breakable, type Column, dataTable, type Section } from "./elements";
import { html } from "./markup";

const COLUMNS: readonly Column[] = [
  { title: "Group" },
  { title: "At the gateway" },
  { title: "Model" },
  { title: "Nodes" },
  { title: "Registrar" },
];

/** Server groups; no section where there are none. */
export function serverGroupsSections(plan: GroupsOfPlan): Section[] {
  const groups = describedGroups(plan);
  if (groups.length === 0) {
    return [];
  }
  return [
    {
      id: "server-groups",
      title: "Server groups",
      lead: "Nodes of one model behind one path of the gateway, each with /health and /infer. They are the model's replicas: nothing here is placed or paid for twice.",
      body: dataTable(
        "Server groups and their nodes",
        COLUMNS,
        groups.map(({ name, path, model, nodes, registrar }) => [
          name,
          html`<code>${path}</code>`,
          model,
          nodes,
          breakable(registrar),
        ]),
      ),
    },
  ];
}
