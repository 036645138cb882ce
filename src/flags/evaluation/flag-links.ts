/** Dependencies between flags. */
import { sortByDependencies } from './dependency-order.ts';
import type { CompiledFlag } from './flag.ts';

export type FlagLinks = {
  /** For each flag, the indexes of the flags in its conditions; empty for broken flags. */
  readonly dependencies: readonly (readonly number[])[];
  /** Indexes of flags in a cycle, or depending on one. */
  readonly cyclic: ReadonlySet<number>;
  /** Whether a flag depends on a missing flag, a cycle, or another broken flag; broken flags are off. */
  readonly isBroken: readonly boolean[];
  /** Whether a flag depends on another flag, or another flag on it. */
  readonly isLinked: readonly boolean[];
};

/** Dependencies of an inactive flag are ignored, because it is off anyway. */
export function linkFlags(
  flags: readonly CompiledFlag[],
  findFlagIndex: (name: string) => number | undefined,
): FlagLinks {
  const targets = flags.map(({ definition, reads }) =>
    definition.active ? [...new Set(reads.flags)].map(findFlagIndex) : [],
  );
  const dependencies = targets.map((indexes) => indexes.filter((index) => index !== undefined));
  const { ordered, cyclic } = sortByDependencies(flags.length, (index) => dependencies[index]!);
  const broken = new Set(cyclic);
  for (const index of ordered) {
    const isBroken = targets[index]!.some((target) => target === undefined || broken.has(target));
    if (isBroken) broken.add(index);
  }
  const linked = new Set(dependencies.flatMap((indexes, index) => (indexes.length > 0 ? [index, ...indexes] : [])));
  return {
    dependencies: dependencies.map((indexes, index) => (broken.has(index) ? [] : indexes)),
    cyclic,
    isBroken: flags.map((_, index) => broken.has(index)),
    isLinked: flags.map((_, index) => linked.has(index)),
  };
}
