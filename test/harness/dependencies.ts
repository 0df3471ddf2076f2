import type * as pulumi from "@pulumi/pulumi";

/** What an output carries besides its value; the SDK has it, its published types do not. */
interface WithResources {
  allResources(): Promise<Set<pulumi.Resource & { readonly __name?: string }>>;
}

/** Logical names of the resources that the engine finishes before whatever takes this output as an input. */
export async function dependenciesOf(output: pulumi.Output<unknown>): Promise<string[]> {
  const resources = await (output as unknown as WithResources).allResources();
  return [...resources].map(({ __name }) => __name ?? "").sort();
}
