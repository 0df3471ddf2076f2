import * as kubernetes from "@pulumi/kubernetes";
import { describe, expect, it } from "vitest";
import { PlatformComponent } from "../../../components/core/platform-component";
import type { MeshMode } from "../../../components/mesh/mode";
import { meshTransformations } from "../../../components/mesh/port-protocols";
import { deploy } from "../../harness/deploy";

class Owner extends PlatformComponent {
  constructor(mode: MeshMode) {
    super("test:Owner", "owner", { transformations: meshTransformations(mode) });
    const ports = [
      { name: "http", port: 8000 },
      { name: "grpc", port: 9000, appProtocol: "grpc" },
    ];
    new kubernetes.core.v1.Service(this.child("service"), { spec: { clusterIP: "None", ports } }, this.childOptions());
    new kubernetes.core.v1.ConfigMap(this.child("map"), { data: { ports: "8000" } }, this.childOptions());
    this.registerOutputs({});
  }
}

const portsIn = async (mode: MeshMode) =>
  (await deploy(() => void new Owner(mode))).resource("kubernetes:core/v1:Service", "owner-service").inputs.spec;

describe("protocols of ports", () => {
  it("are left to sidecars to find out, where nobody says them", async () => {
    expect(await portsIn("sidecar")).toMatchObject({
      clusterIP: "None",
      ports: [
        { name: "http", port: 8000, appProtocol: "inference-stacks.io/detected" },
        { name: "grpc", port: 9000, appProtocol: "grpc" },
      ],
    });
  });

  it("are as their names say in ambient mode, where nobody reads them", async () => {
    expect(await portsIn("ambient")).toMatchObject({ ports: [{ name: "http", port: 8000 }, {}] });
    expect(JSON.stringify(await portsIn("ambient"))).not.toContain("detected");
  });
});
