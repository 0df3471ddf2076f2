import { charts } from "./charts";
import { EKS_AS_OF, EKS_NODE_IMAGE } from "./eks";
import { imageEntry, images } from "./images";
import { K3S_AS_OF, K3S_RELEASED_ON, K3S_VERSION } from "./k3s";
import table from "./pins.json";

/** Exposed to clients' data, privileged on nodes or cluster, or neither. */
export type Exposure = "clients" | "privileged" | "inside";

/** What is installed of one project, all of it of one release or of several. */
export interface PinnedPart {
  readonly part: string;
  readonly exposure: Exposure;
  /** Rows of images.json. */
  readonly images?: readonly string[];
  /** Rows of charts.json. */
  readonly charts?: readonly string[];
  /** Pins of other files. */
  readonly others?: readonly OtherPin[];
  readonly advisories?: {
    readonly readOn: string;
    /** Day of the newest that was there to read. @default readOn */
    readonly until?: string;
    readonly source: string;
  };
  /** Why its advisories were not read. */
  readonly unread?: string;
  /** Release days by number, where names lack them. */
  readonly released?: Readonly<Record<string, string>>;
}

/** One release that is pinned. */
export interface Pin {
  readonly kind: "image" | "chart" | "other";
  /** Row of images.json or charts.json, or the name of a pin of another file. */
  readonly name: string;
  /** As its file has it: a tag, the version of what a chart installs. */
  readonly version: string;
  /** Day of its release, where its name or its file has it. */
  readonly releasedOn?: string;
  /** Day on which it was read for the catalogue: it is at least as old. */
  readonly readOn: string;
}

const OTHERS = {
  "eks-node-image": { version: EKS_NODE_IMAGE, asOf: EKS_AS_OF },
  k3s: { version: K3S_VERSION, asOf: K3S_AS_OF, releasedOn: K3S_RELEASED_ON },
} as const;

export type OtherPin = keyof typeof OTHERS;

export const otherPins = Object.keys(OTHERS) as unknown as readonly [OtherPin, ...OtherPin[]];

// Checked against catalog/schema by test/catalog.
export const pinnedParts = table.parts as readonly PinnedPart[];

/** Rows that nothing installs. */
export const notInstalled: { readonly images: readonly string[]; readonly charts: readonly string[] } =
  table.notInstalled;

/** An image that only a setting asks for. */
export interface OptIn {
  /** Row of images.json. */
  readonly image: string;
  /** The setting that asks for it. */
  readonly by: string;
  /** Why no newer release is pinned. */
  readonly why: string;
}

// Checked against catalog/schema by test/catalog.
export const optIns: readonly OptIn[] = table.optIn;

/** What must be asked for to get it; undefined where nothing must. */
export function optInOf({ kind, name }: Pick<Pin, "kind" | "name">): OptIn | undefined {
  return kind === "image" ? optIns.find(({ image }) => image === name) : undefined;
}

/** Whether what clients send, or a way to the nodes, goes through it. */
export function isOnPublicPath({ exposure }: Pick<PinnedPart, "exposure">): boolean {
  return exposure !== "inside";
}

/** @throws Error for an image or a chart that the catalogue has not. */
export function pinsOf({ images: components = [], charts: names = [], others = [] }: PinnedPart): Pin[] {
  return [
    ...components.map((name): Pin => {
      const { tag, asOf } = imageEntry(name);
      return { kind: "image", name, version: tag, ...dated(tag, asOf) };
    }),
    ...charts
      .filter(({ name }) => names.includes(name))
      .map(
        ({ name, appVersion, asOf }): Pin => ({ kind: "chart", name, version: appVersion, ...dated(appVersion, asOf) }),
      ),
    ...others.map((name): Pin => {
      const { version, asOf, ...known } = OTHERS[name];
      return {
        kind: "other",
        name,
        version,
        ...dated(version, asOf, "releasedOn" in known ? known.releasedOn : undefined),
      };
    }),
  ];
}

/** By image of any tag; undefined if not in the catalogue. */
export function partOfImage(repository: string): PinnedPart | undefined {
  const components = images.filter((entry) => entry.repository === repository).map(({ component }) => component);
  return pinnedParts.find((part) => components.some((component) => part.images?.includes(component)));
}

const DAY = /(?<!\d)(?<year>20\d\d)-?(?<month>\d\d)-?(?<day>\d\d)(?!\d)/;

/** The day that a release is named after: v20260714, RELEASE.2026-09-16T00-00-00Z. */
export function dayIn(
  version: string,
): { readonly year: string; readonly month: string; readonly day: string } | undefined {
  const { year, month, day } = DAY.exec(version)?.groups ?? {};
  return year === undefined || month === undefined || day === undefined ? undefined : { year, month, day };
}

function dated(version: string, asOf: string, releasedOn?: string): Pick<Pin, "releasedOn" | "readOn"> {
  const named = dayIn(version);
  const day = releasedOn ?? (named && `${named.year}-${named.month}-${named.day}`);
  return { readOn: asOf, ...(day !== undefined && { releasedOn: day }) };
}
