import { html, type Markup } from "../html/markup";
import { ANYWHERE, type MappedConnection, type MappedSubnet, type NetworkMap, ORACLE_SERVICES } from "./network-map";

const WIDTH = 1180;
const TOP = 56;
const HEIGHT = 740;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Positions of the four subnets of an OKE cluster. */
const SUBNET_BOXES: Readonly<Record<string, Box>> = {
  "load-balancers": { x: 60, y: 180, width: 260, height: 92 },
  endpoint: { x: 620, y: 180, width: 260, height: 92 },
  nodes: { x: 60, y: 420, width: 260, height: 92 },
  pods: { x: 620, y: 420, width: 260, height: 92 },
};
const OUTSIDE: Readonly<Record<"clients" | "operators" | "oracle" | "internet", Box>> = {
  clients: { x: 60, y: 24, width: 260, height: 56 },
  operators: { x: 620, y: 24, width: 260, height: 56 },
  oracle: { x: 990, y: 180, width: 160, height: 332 },
  internet: { x: 60, y: 650, width: 820, height: 56 },
};
const NETWORK: Box = { x: 30, y: 120, width: 880, height: 470 };

type Place = "load-balancers" | "endpoint" | "nodes" | "pods" | keyof typeof OUTSIDE;

/** How an arrow runs, and the position of its ports. */
interface Route {
  readonly from: Place;
  readonly to: Place;
  readonly path: string;
  readonly label: { readonly x: number; readonly y: number; readonly anchor?: "middle" | "end" };
  readonly note?: string;
}

const ROUTES: readonly Route[] = [
  { from: "clients", to: "load-balancers", path: "M220 80V180", label: { x: 230, y: 108 } },
  {
    from: "clients",
    to: "nodes",
    path: "M60 52H44V466H60",
    label: { x: 54, y: 322 },
    note: "through the load balancer,",
  },
  { from: "operators", to: "endpoint", path: "M750 80V180", label: { x: 760, y: 108 } },
  { from: "load-balancers", to: "nodes", path: "M270 272V420", label: { x: 279, y: 320 } },
  { from: "nodes", to: "endpoint", path: "M320 446L620 262", label: { x: 500, y: 372 } },
  { from: "endpoint", to: "nodes", path: "M620 230L320 426", label: { x: 532, y: 276, anchor: "end" } },
  { from: "endpoint", to: "pods", path: "M665 272V420", label: { x: 673, y: 322 } },
  { from: "pods", to: "endpoint", path: "M765 420V272", label: { x: 773, y: 380 } },
  { from: "nodes", to: "pods", path: "M320 466H620", label: { x: 470, y: 459, anchor: "middle" } },
  { from: "pods", to: "nodes", path: "M620 488H320", label: { x: 470, y: 507, anchor: "middle" } },
  { from: "nodes", to: "internet", path: "M160 512V650", label: { x: 169, y: 622 } },
  { from: "pods", to: "internet", path: "M720 512V650", label: { x: 729, y: 622 } },
  { from: "nodes", to: "oracle", path: "M260 512V556H1070V512", label: { x: 470, y: 549, anchor: "middle" } },
  { from: "pods", to: "oracle", path: "M880 466H990", label: { x: 935, y: 459, anchor: "middle" } },
  { from: "endpoint", to: "oracle", path: "M880 226H990", label: { x: 935, y: 219, anchor: "middle" } },
];

const STYLE = `
text { font: 14px system-ui, Helvetica, Arial, sans-serif; fill: #1f2933 }
.title { font-size: 18px; font-weight: 600 }
.name { font-weight: 600 }
.quiet { fill: #52606d; font-size: 13px }
.label { font-size: 13px; paint-order: stroke; stroke: #fff; stroke-width: 5px; stroke-linejoin: round }
.page { fill: #fff }
.network { fill: #f5f7fa; stroke: #7b8794; stroke-dasharray: 6 4 }
.within { stroke: #f5f7fa }
.private { fill: #e3f0fb; stroke: #2f6fab }
.public { fill: #fdf0d5; stroke: #b7791f }
.outside { fill: #fff; stroke: #7b8794 }
.arrow { fill: none; stroke: #3e4c59; stroke-width: 1.5 }
.head { fill: #3e4c59 }
`;

/** SVG file. Omits path MTU messages and unused networks. */
export function networkPicture(environment: string, map: NetworkMap): string {
  const drawn = map.connections.filter(({ on, closedAt }) => !on.startsWith("ICMP") && closedAt === undefined);
  const arrows = ROUTES.flatMap((route) => {
    const own = drawn.filter((connection) => isOn(route, connection));
    return own.length > 0 ? [{ route, own }] : [];
  });
  const shown = new Set(arrows.flatMap(({ own }) => own));
  const isSelf = ({ from, to }: MappedConnection) => from === to;
  const others = drawn.filter((connection) => !shown.has(connection) && !isSelf(connection));
  const height = TOP + HEIGHT + 20 * others.length;
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" aria-labelledby="title">
<title id="title">Network of ${environment}: subnets, and who connects to whom</title>
<style>${STYLE}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8Z"/></marker></defs>
<rect class="page" width="${WIDTH}" height="${height}"/>
<text class="title" x="30" y="38">Network of ${environment}</text>
<text class="quiet" x="${WIDTH - 30}" y="38" text-anchor="end">An arrow points at who is called. What has none may not connect.</text>
<g transform="translate(0 ${TOP})">
${box(NETWORK, "network", 8)}
<text class="quiet" x="350" y="146">${map.name} · ${map.cidr}</text>
${map.subnets.map((subnet) =>
  drawSubnet(
    subnet,
    drawn.filter((each) => isSelf(each) && each.from === subnet.name),
  ),
)}
${drawOutside(drawn)}
${arrows.map(({ route, own }) => drawArrow(route, own))}
${others.map(({ from, to, on }, i) => html`<text class="quiet" x="60" y="${HEIGHT - 10 + 20 * i}">also: ${from} to ${to}, ${on}</text>\n`)}</g>
</svg>
`;
  return picture.text;
}

/** Whether a connection is between the two ends of a route. */
function isOn(route: Route, { from, to }: MappedConnection): boolean {
  const isOutside = (address: string) => SUBNET_BOXES[address] === undefined && address !== ORACLE_SERVICES;
  const stands = (place: Place, address: string): boolean => {
    switch (place) {
      case "clients":
      case "operators":
        return isOutside(address);
      case "internet":
        return address === ANYWHERE;
      case "oracle":
        return address === ORACLE_SERVICES;
      default:
        return address === place;
    }
  };
  return stands(route.from, from) && stands(route.to, to);
}

function drawSubnet({ name, cidr, isPublic }: MappedSubnet, self: readonly MappedConnection[]): Markup | undefined {
  const place = SUBNET_BOXES[name];
  if (place === undefined) {
    return undefined;
  }
  const { x, y } = place;
  return html`${box(place, isPublic ? "public" : "private")}
<text class="name" x="${x + 16}" y="${y + 28}">${name}</text>
<text class="quiet" x="${x + 16}" y="${y + 50}">${cidr} · ${isPublic ? "public addresses" : "private"}</text>
${self.length > 0 ? html`<text class="quiet" x="${x + 16}" y="${y + 72}">each other: ${portsOf(self)}</text>` : undefined}\n`;
}

function drawOutside(drawn: readonly MappedConnection[]): Markup {
  const sources = (to: string) => [
    ...new Set(drawn.filter((each) => each.to === to && SUBNET_BOXES[each.from] === undefined).map(({ from }) => from)),
  ];
  const clients = sources("load-balancers");
  const operators = sources("endpoint");
  const { oracle, internet } = OUTSIDE;
  return html`${clients.length > 0 ? outsider(OUTSIDE.clients, "clients of the gateway", networks(clients)) : undefined}
${operators.length > 0 ? outsider(OUTSIDE.operators, "operators", networks(operators)) : undefined}
${outsider(internet, "internet", "outgoing connections, from the NAT gateway's address")}
${box(oracle, "outside")}
<text class="name" x="${oracle.x + 16}" y="${oracle.y + 150}">${ORACLE_SERVICES}</text>
<text class="quiet" x="${oracle.x + 16}" y="${oracle.y + 172}">service gateway</text>`;
}

function networks(cidrs: readonly string[]): string {
  const [first = "", ...more] = cidrs;
  return first === ANYWHERE ? "from anywhere" : more.length > 0 ? `${first} and ${more.length} more` : first;
}

function outsider(place: Box, name: string, detail: string): Markup {
  return html`${box(place, "outside")}
<text class="name" x="${place.x + 16}" y="${place.y + 24}">${name}</text>
<text class="quiet" x="${place.x + 16}" y="${place.y + 44}">${detail}</text>`;
}

function drawArrow({ path, label, note }: Route, own: readonly MappedConnection[]): Markup {
  const { x, y, anchor = "start" } = label;
  const place =
    y > NETWORK.y && y < NETWORK.y + NETWORK.height && x < NETWORK.x + NETWORK.width ? "label within" : "label";
  return html`<path class="arrow" d="${path}" marker-end="url(#head)"/>
<text class="${place}" x="${x}" y="${y}" text-anchor="${anchor}">${portsOf(own)}</text>
${
  note === undefined
    ? undefined
    : html`<text class="${place} quiet" x="${x}" y="${y + 18}">${note}</text>
<text class="${place} quiet" x="${x}" y="${y + 35}">address kept</text>`
}\n`;
}

/** `TCP 6443, 12250` for several. */
function portsOf(connections: readonly MappedConnection[]): string {
  const all = [...new Set(connections.map(({ on }) => on))];
  const ports = all.flatMap((on) => (on.startsWith("TCP ") ? [on.slice("TCP ".length)] : []));
  const others = all.filter((on) => !on.startsWith("TCP "));
  return [...others, ...(ports.length > 0 ? [`TCP ${ports.join(", ")}`] : [])]
    .map((on) => (on === "TCP" ? "any TCP port" : on))
    .join(", ");
}

function box({ x, y, width, height }: Box, className: string, radius = 6): Markup {
  return html`<rect class="${className}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}
