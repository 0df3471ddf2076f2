import { describedGroups, type GroupsOfPlan, NO_REGISTRAR } from "../server-groups";
import { type Style, table, WIDTH, wrap } from "../style";

/** A line each, and one for a registrar. */
export function serverGroups(plan: GroupsOfPlan, s: Style): string {
  const groups = describedGroups(plan);
  if (groups.length === 0) {
    return "";
  }
  const header = ["Server groups", "model", "nodes", "at the gateway"].map((text) => ({ text, paint: s.dim }));
  const rows = groups.flatMap(({ name, model, nodes, path, registrar }) => [
    [{ text: name, paint: s.bold }, model, nodes, path],
    ...(registrar === NO_REGISTRAR
      ? []
      : wrap(registrar, WIDTH, "  ").map((line) => [{ text: line, paint: s.dim, spans: true }])),
  ]);
  return table([header, ...rows]);
}
