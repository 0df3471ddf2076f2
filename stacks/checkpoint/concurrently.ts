/** Results in input order, with at most `limit` running. Rejects with the first error. */
export async function concurrently<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const next = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: limit }, next));
  return results;
}
