import type * as pulumi from "@pulumi/pulumi";
import { ISTIO_NAMESPACE } from "../../names/namespaces";
import { Controller } from "../core/controller";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { type EgressServer, egressEntries } from "./egress";
import { baseValues, cniValues, type IstioSettings, istiodValues, ztunnelValues } from "./istio-values";

export interface MeshArgs extends IstioSettings {
  /** External servers that mesh pods may call; with sidecars, no others. */
  readonly egress: readonly EgressServer[];
}

/** Istio: CRDs, control plane and agents. Namespaces join through `membership.ts`. */
export class Mesh extends PlatformComponent {
  /** Prerequisites of mesh pods and Istio objects. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: MeshArgs, opts?: pulumi.ComponentResourceOptions) {
    super("mesh:Mesh", name, opts);
    const istio = new Controller(
      this.child("istio"),
      {
        namespace: ISTIO_NAMESPACE,
        // CRDs are templates of that chart, so that it upgrades them.
        crds: { chart: "istio-base", release: "istio-base", values: baseValues },
        contents: () => ({
          charts: [
            { suffix: "istiod", chart: "istio-istiod", release: "istiod", values: istiodValues(args) },
            { suffix: "cni", chart: "istio-cni", release: "istio-cni", values: cniValues(args) },
            ...(args.mode === "ambient"
              ? [{ suffix: "ztunnel", chart: "istio-ztunnel", release: "ztunnel", values: ztunnelValues(args) }]
              : []),
          ],
        }),
      },
      this.childOptions(),
    );
    const entries = args.mode === "sidecar" ? egressEntries(args.egress) : [];
    this.ready = [
      ...istio.releases,
      ...entries.map((entry) =>
        customResource(
          this.child(entry.name),
          { ...entry, namespace: istio.namespace },
          this.childOptions({ dependsOn: [...istio.releases] }),
        ),
      ),
    ];
    this.registerOutputs({});
  }
}
