import type * as pulumi from "@pulumi/pulumi";
import { KEDA_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import { Authority, issuerReference } from "../certificates/authority";
import type { CertManager } from "../certificates/cert-manager";
import { Controller } from "../core/controller";
import { PlatformComponent } from "../core/platform-component";
import { KEDA_RELEASE } from "./keda-names";
import { kedaValues } from "./keda-values";

/** Name of its certificate authority. */
const AUTHORITY = "keda-ca";

export interface KedaArgs {
  readonly stage: Stage;
  readonly certManager: CertManager;
}

/** KEDA: it reads signals from Prometheus, and gives them to the HorizontalPodAutoscalers that it makes. */
export class Keda extends PlatformComponent {
  /** ScaledObjects come after it, and go before it: KEDA itself takes its finalizer off them. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: KedaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Keda", name, opts);
    const { stage, certManager } = args;
    this.ready = new Controller(
      this.child("controller"),
      {
        namespace: KEDA_NAMESPACE,
        contents: (namespace) => ({
          needs: [this.authority(namespace, certManager)],
          charts: [
            { chart: "keda", release: KEDA_RELEASE, values: kedaValues(stage, issuerReference("Issuer", AUTHORITY)) },
          ],
        }),
      },
      this.childOptions(),
    ).releases;
    this.registerOutputs({});
  }

  private authority(namespace: pulumi.Output<string>, certManager: CertManager): Authority {
    return new Authority(
      this.child("ca"),
      {
        kind: "Issuer",
        authority: AUTHORITY,
        bootstrap: `${AUTHORITY}-bootstrap`,
        namespace,
        commonName: "KEDA CA",
      },
      this.childOptions({ dependsOn: [...certManager.ready] }),
    );
  }
}
