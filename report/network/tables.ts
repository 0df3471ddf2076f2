import { table } from "../style";
import type { NetworkMap } from "./network-map";

/** A network as text for a terminal. */
export function networkText(environment: string, map: NetworkMap): string {
  const { name, cidr, subnets, connections } = map;
  return [
    `Network of ${environment}: ${name}, ${cidr}\n\n`,
    table([
      ["Subnet", "addresses", "public", "ways out"],
      ...subnets.map((subnet) => [
        subnet.name,
        subnet.cidr,
        subnet.isPublic ? "yes" : "no",
        subnet.waysOut.join(", ") || "none",
      ]),
    ]),
    "\n",
    table([
      ["From", "to", "on", "why"],
      ...connections.map(({ from, to, on, reason, closedAt }) => [
        from,
        to,
        on,
        closedAt === undefined ? reason : `${reason}; NOTHING GETS THROUGH: ${closedAt} has no rule for it`,
      ]),
    ]),
    "\nConnections in no row are refused; replies are always allowed.\n",
  ].join("");
}

/** Why there is no map. */
export function noNetworkText(environment: string, isUnmapped: boolean): string {
  return isUnmapped
    ? `${environment} makes a network on AWS, of which no map is drawn: --network draws those of OKE. docs/eks.md has its subnets, --resources each part.\n`
    : `${environment} makes no network: it takes the one that its cluster or machine is in.\n`;
}

/**
 * The same as Markdown.
 *
 * @param picture file name of the picture next to it.
 */
export function networkMarkdown(environment: string, map: NetworkMap, picture: string): string {
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  const rows = (head: readonly string[], body: readonly (readonly string[])[]) =>
    [row(head), row(head.map(() => "---")), ...body.map(row)].join("");
  return [
    `# Network of ${environment}\n\n`,
    `Made by \`npm run plan -- ${environment} --network ${environment}.md\` from the resources that the program records; not edited by hand.\n\n`,
    `![Subnets, and who connects to whom](${picture})\n\n`,
    `\`${map.name}\`, ${map.cidr}.\n\n`,
    rows(
      ["Subnet", "Addresses", "Public", "Ways out"],
      map.subnets.map(({ name, cidr, isPublic, waysOut }) => [name, cidr, isPublic ? "yes" : "no", waysOut.join(", ")]),
    ),
    "\nConnections in no row are refused; replies are always allowed.\n\n",
    rows(
      ["From", "To", "On", "Why"],
      map.connections.map(({ from, to, on, reason, closedAt }) => [
        from,
        to,
        on,
        closedAt === undefined ? reason : `${reason}; **nothing gets through**: ${closedAt} has no rule for it`,
      ]),
    ),
  ].join("");
}
