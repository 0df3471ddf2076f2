import * as identity from "@pulumi/oci/identity";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { OkeKeys } from "./keys";
import type { OkeSettings } from "./settings";

export interface OkeIdentityArgs {
  readonly settings: Pick<OkeSettings, "compartmentId">;
  readonly keys: OkeKeys;
}

/** What the cluster itself may do: its policies must exist before it does. */
export class OkeIdentity extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  /** @param opts with a provider of the home region. */
  constructor(name: string, { settings, keys }: OkeIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeIdentity", name, opts);
    const { compartmentId } = settings;
    this.ready = [
      new identity.Policy(
        this.child("keys"),
        {
          compartmentId,
          description: "The cluster uses its keys",
          statements: [
            keys.secretsKeyId.apply(
              (key) =>
                `Allow any-user to use keys in compartment id ${compartmentId} where ALL {request.principal.type='cluster', target.key.id='${key}'}`,
            ),
          ],
        },
        this.childOptions(),
      ),
    ];
    this.registerOutputs({});
  }
}
