/** docs/nodes.md tells the truth of the configuration: what it suggests is planned, and what it says of engines is so. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { engineNames, engineOf } from "../../engines";
import { GATEWAY_PATHS } from "../../names/gateway-paths";
import { repositoryRoot } from "../../names/repository-root";
import { NODE_PROXY, NODE_REGISTRATION } from "../../planner/sidecars";
import { laptop, planOf, useFolder } from "../cli/run";
import { type Sections, suggestedSections } from "./texts";

const folder = useFolder();
const page = readFileSync(join(repositoryRoot(), "docs", "nodes.md"), "utf8");
const registrarApiKey = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

const fragments = suggestedSections("nodes.md");

function environmentWith({ models, ...sections }: Sections): Sections {
  const keys = JSON.stringify(sections).includes("registrarApiKey") ? { registrarApiKey } : {};
  return { ...laptop, models: { assistant: laptop.models.chat, ...Object(models) }, ...sections, ...keys };
}

async function planned(sections: Sections) {
  const { status, out, err } = await planOf(folder, environmentWith(sections), "--json");
  expect([status, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

/** The authorities that the page names. */
beforeAll(() => {
  mkdirSync(join(folder, "certificates"));
  copyFileSync(
    join(repositoryRoot(), "test/fixtures/certificates/example-ca.pem"),
    join(folder, "certificates/office.pem"),
  );
});

describe("docs/nodes.md", () => {
  it.each(fragments)("suggests what is planned: %j", async (fragment) => {
    const [[name, { model, replicas = { min: 1 } }] = ["", {}]] = Object.entries(Object(fragment.nodes)) as [
      string,
      { model?: string; replicas?: { min: number } },
    ][];
    const { groups, models } = await planned(fragment);
    expect(groups).toMatchObject([{ name, model }]);
    const runsHere = models.filter((each: { group?: string }) => each.group === name);
    expect(runsHere.map((each: { minReplicas: number }) => each.minReplicas)).toEqual(
      model === "assistant" ? [replicas.min] : [],
    );
  });

  it("suggests a model, more nodes, somebody else's server, and a registrar", () => {
    expect(fragments).toHaveLength(4);
  });

  it("names the sizes that plans count, the engines without nodes, and the paths that no group may have", () => {
    expect(page).toContain(`an Envoy of ${NODE_PROXY.cpu} CPUs and ${NODE_PROXY.memoryGiB} GiB`);
    expect(page).toContain(`each carries ${NODE_REGISTRATION.cpu} CPUs and ${NODE_REGISTRATION.memoryGiB} GiB more`);
    for (const name of engineNames) {
      const { label, noNodes } = engineOf(name);
      const [row = ""] = page.split("\n").filter((line) => line.startsWith("|") && line.includes(label));
      expect(row.includes("| none: its operator"), label).toBe(noNodes !== undefined);
    }
    for (const path of Object.keys(GATEWAY_PATHS)) {
      expect(page).toContain(`\`${path}\``);
    }
  });

  it("says where a mistake of a group's replicas is mended", async () => {
    const nodes = { cluster: { model: "assistant", replicas: { min: 30 } } };
    const { status, out } = await planOf(folder, environmentWith({ nodes }));
    expect(status).toBe(1);
    expect(out).toContain("lower nodes.cluster.replicas from 30 to");
  });
});
