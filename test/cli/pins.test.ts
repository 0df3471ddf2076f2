import { describe, expect, it } from "vitest";
import { imageDigests } from "../../catalog/image-digests";
import { optInOf, type Pin, type PinnedPart, pinnedParts, pinsOf } from "../../catalog/pins";
import { main } from "../../cli/pins";
import { failing, type PinRow, pinRows } from "../../cli/pins/rows";
import { FakeRegistry } from "../bundle/registry";
import { runPiped } from "./run";

const TODAY = new Date("2026-12-01T12:00:00Z");
/** Newer than all that is known of anything. */
const NEWEST = "v9999.0.0";

/** The catalogue's parts in the newest versions, or in these; what somebody must ask for stays as it is pinned. */
function planted(versions: Readonly<Record<string, string>> = {}): PinRow[] {
  const pinsOfPart = (part: PinnedPart): Pin[] =>
    pinsOf(part).map((pin) => ({
      ...pin,
      version: versions[pin.name] ?? (optInOf(pin) === undefined ? NEWEST : pin.version),
    }));
  return pinRows(TODAY, pinnedParts, pinsOfPart);
}

/** The command with these rows; nothing asks a registry. */
const pins = (rows: PinRow[], ...argv: string[]) => {
  const place = { rows: () => rows, today: TODAY, digests: imageDigests, registry: new FakeRegistry(), file: "" };
  return runPiped((args, io) => main(args, io, place), argv);
};

describe("npm run pins", () => {
  it("ends with 0 where nothing on the public path is known to be vulnerable", async () => {
    const { status, out, err } = await pins(planted());
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^envoy +9999\.0\.0 +clients +by 2026-\d\d-\d\d +2026-\d\d-\d\d, \d+ d +none known$/m);
    expect(out).toMatch(/^vllm +9999\.0\.0 .* not met$/m);
  });

  it("reports a planted old pin, with what is known, where it is mended and where to read of it", async () => {
    const { status, out } = await pins(planted({ "envoy-proxy": "distroless-v1.38.0" }));
    expect(status).toBe(1);
    expect(out).toMatch(/^envoy +1\.38\.0 +.* vulnerable$/m);
    expect(out).toMatch(/CVE-2026-35189: [^;]+;\s+fixed in\s+1\.39\.2\n +https:\/\/github\.com\/envoyproxy\/envoy/);
    expect(out).toMatch(/^Raise envoy 1\.38\.0 → 1\.39\.6\.$/m);
  });

  it("lists engines that somebody must ask for, with the reason, and does not fail for them", async () => {
    const rows = planted({ "ray-llm": "2.56.0-py312-cu130", "vllm-cuda-ray": "v0.17.1" });
    const optIn = rows.filter(({ state }) => state === "opt-in").flatMap((row) => row.pins.map(({ name }) => name));
    expect(optIn).toEqual(expect.arrayContaining(["vllm-cuda-ray", "ray-llm"]));
    expect(failing(rows)).toEqual([]);
    expect((await pins(rows)).out).toMatch(/vllm 0\.22\.0 in ray \(ray-llm\)\n +opt-in, engine: ray: /);
  });

  it("tells the day of a release, or by when it was there, and the day up to which advisories were read", async () => {
    const part: PinnedPart = {
      part: "triton",
      exposure: "clients",
      advisories: { readOn: "2026-11-28", until: "2026-08-18", source: "bulletins" },
      released: { "26.07": "2026-07-30" },
    };
    const pin = { kind: "image", name: "triton" } as const;
    const rows = pinRows(TODAY, [part], () => [
      { ...pin, version: "26.07-py3", readOn: "2026-11-21" },
      { ...pin, version: "26.08-py3", readOn: "2026-11-21" },
      { ...pin, version: "26.08-trtllm-python-py3", readOn: "2026-11-20" },
    ]);
    const [known, unknown, ...others] = JSON.parse((await pins(rows, "--json")).out) as PinRow[];
    expect(others).toEqual([]);
    const advisories = { ageDays: 105 };
    expect(known).toMatchObject({ version: "26.07", released: { on: "2026-07-30", ageDays: 124 }, advisories });
    expect(unknown).toMatchObject({ version: "26.08", readOn: "2026-11-20", advisories });
    expect(unknown).not.toHaveProperty("released");
    const { out } = await pins(rows);
    expect(out).toMatch(/^triton +26\.07 +clients +2026-07-30, 124 d +2026-08-18, 105 d /m);
    expect(out).toMatch(/^triton +26\.08 +clients +by 2026-11-20 +2026-08-18, 105 d /m);
  });

  it("knows the day of releases that are named after it", () => {
    const [image] = pinnedParts.filter(({ part }) => part === "eks-node-image").flatMap(pinsOf);
    const [, year, month, day] = /^v(\d{4})(\d\d)(\d\d)$/.exec(image?.version ?? "") ?? [];
    expect(image).toMatchObject({ releasedOn: `${year}-${month}-${day}` });
  });

  it("does not call clear what brings an engine of an unknown release", () => {
    const rows = planted({ "triton-vllm": "99.12-vllm-python-py3" });
    expect(rows.find(({ version }) => version === "99.12")).toMatchObject({ known: [], state: "unread" });
  });

  it("leaves out what nobody reaches, unless it is asked for", async () => {
    const rows = planted();
    expect((await pins(rows)).out).not.toMatch(/^grafana /m);
    expect((await pins(rows, "--all")).out).toMatch(/^grafana .* inside /m);
    expect((await pins(rows, "--al")).status).toBe(2);
    expect((await pins(rows, "--help")).out).toMatch(/^Usage: npm run pins/);
  });
});
