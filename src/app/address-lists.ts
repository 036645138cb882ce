/** Lists of hosts and addresses in the environment. */
import { entriesOf, type Config } from '../platform/config.ts';
import { CommandFailed } from '../platform/errors.ts';
import { addressRange } from '../platform/net/address-range.ts';
import { isHostEntry } from '../platform/net/host-rules.ts';

/** @throws CommandFailed naming each entry that can match nothing, such as a misspelled range, which would silently refuse what it should allow */
export function checkAddressLists({ EXPORT_ALLOWED_HOSTS: hosts, TRUSTED_PROXIES: proxies }: Config): void {
  const problems = [
    ...entriesOf(hosts)
      .filter((entry) => !isHostEntry(entry))
      .map((entry) => `EXPORT_ALLOWED_HOSTS: ${entry} is neither a host name, an address nor a CIDR range`),
    ...entriesOf(proxies)
      .filter((entry) => !addressRange(entry))
      .map((entry) => `TRUSTED_PROXIES: ${entry} is neither an address nor a CIDR range`),
  ];
  if (problems.length > 0) throw new CommandFailed(`The environment is not valid: ${problems.join('; ')}.`);
}
