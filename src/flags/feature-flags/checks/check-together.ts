/** Checks upstream's rules about combinations of fields. A flag that violates a rule already may still change in other fields. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { FlagFields } from '../feature-flags.store.ts';

type Rule = { isBrokenBy: (flag: FlagFields) => boolean; attr: string; detail: string };

const RULES: readonly Rule[] = [
  {
    isBrokenBy: (flag) => flag.hasEncryptedPayloads && !flag.isRemoteConfiguration,
    attr: 'has_encrypted_payloads',
    detail: 'Encrypted payloads require the flag to be a remote configuration.',
  },
  {
    isBrokenBy: (flag) => flag.bucketingIdentifier === 'device_id' && flag.ensureExperienceContinuity,
    attr: 'bucketing_identifier',
    detail:
      "Cannot enable 'persist across authentication steps' when using device ID bucketing. These features are incompatible.",
  },
];

/**
 * @param before undefined for a new flag
 * @throws InvalidInput naming the field
 */
export function checkCombination(after: FlagFields, before?: FlagFields): void {
  const broken = RULES.find(({ isBrokenBy }) => isBrokenBy(after) && !(before && isBrokenBy(before)));
  if (broken) throw new InvalidInput(broken.detail, broken.attr);
}
