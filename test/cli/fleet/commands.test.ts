import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fleetCommands } from "../../../cli/fleet/commands";
import { repositoryRoot } from "../../../names/repository-root";

const atRoot = (name: string) => fleetCommands(join(repositoryRoot(), name));

describe("what goes on from a fleet", () => {
  it("beside Pulumi.yaml names no file that is found without", () => {
    const commands = atRoot("fleet.yaml");
    expect(commands.write).toBe("npm run fleet -- write");
    expect(commands.pulumi("up", "berlin-01")).toBe("pulumi up -s berlin-01 --policy-pack policies");
    expect(commands.pin("edge-nvidia")).toBe("npm run pin -- edge-nvidia");
  });

  it("names another fleet's file, and what is not where the next command looks for it", () => {
    expect(atRoot("north.yaml").write).toBe("npm run fleet -- write north.yaml");
    const commands = atRoot("offices/fleet.yaml");
    expect(commands.write).toBe("npm run fleet -- write offices/fleet.yaml");
    expect(commands.pulumi("destroy", "berlin-01")).toBe(
      "pulumi destroy -s berlin-01 --config-file offices/Pulumi.berlin-01.yaml",
    );
    expect(commands.pin("../base.yaml")).toBe("npm run pin -- --config base.yaml");
  });

  it("takes a path outside as a whole, and quotes one that a shell would read otherwise", () => {
    expect(fleetCommands("/srv/fleets/fleet.yaml").write).toBe("npm run fleet -- write /srv/fleets/fleet.yaml");
    expect(fleetCommands("/srv/my fleets/it's.yaml").write).toBe(
      "npm run fleet -- write '/srv/my fleets/it'\\''s.yaml'",
    );
    expect(fleetCommands("/srv/fleet.yaml").pin("/etc/base.yaml")).toBe("npm run pin -- --config /etc/base.yaml");
  });
});
