import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { openGeoip, type Locate } from '../../../src/platform/wire/geoip.ts';
import { writeMmdb } from '../../support/events/mmdb.ts';

const PLACES = {
  '81.2.69.142': {
    city: { names: { en: 'London', de: 'London' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'GB', names: { en: 'United Kingdom' } },
    location: { accuracy_radius: 10, latitude: 51.5142, longitude: -0.0931, time_zone: 'Europe/London' },
    postal: { code: 'EC2V' },
    subdivisions: [
      { iso_code: 'ENG', names: { en: 'England' } },
      { iso_code: 'LND', names: { en: 'London' } },
    ],
  },
  '81.2.69.143': { country: { iso_code: 'GB' }, city: { names: { de: 'London' } }, location: { latitude: 'north' } },
  '81.2.69.144': {
    city: 'Zürich',
    country_code: 'CH',
    latitude: '47.3769',
    longitude: 8.5417,
    postcode: '8001',
    state1: 'Zürich',
    state2: '',
    timezone: 'Europe/Zurich',
  },
  '81.2.69.145': { autonomous_system_number: 7 },
  '10.1.2.3': { country_code: 'CH' },
};

describe('GeoIP', () => {
  let folder: string;
  let file: string;
  let locate: Locate;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-geoip-'));
    file = path.join(folder, 'places.mmdb');
    await writeFile(file, writeMmdb(PLACES));
    locate = await openGeoip(file);
  });
  after(() => rm(folder, { recursive: true }));

  it('reads what MaxMind writes', () => {
    assert.deepEqual(locate('81.2.69.142'), {
      $geoip_city_name: 'London',
      $geoip_country_name: 'United Kingdom',
      $geoip_country_code: 'GB',
      $geoip_continent_name: 'Europe',
      $geoip_continent_code: 'EU',
      $geoip_postal_code: 'EC2V',
      $geoip_latitude: 51.5142,
      $geoip_longitude: -0.0931,
      $geoip_accuracy_radius: 10,
      $geoip_time_zone: 'Europe/London',
      $geoip_subdivision_1_code: 'ENG',
      $geoip_subdivision_1_name: 'England',
      $geoip_subdivision_2_code: 'LND',
      $geoip_subdivision_2_name: 'London',
    });
  });

  it('reads the flat layout, and knows the names of countries', () => {
    assert.deepEqual(locate('81.2.69.144'), {
      $geoip_city_name: 'Zürich',
      $geoip_country_name: 'Switzerland',
      $geoip_country_code: 'CH',
      $geoip_postal_code: '8001',
      $geoip_latitude: 47.3769,
      $geoip_longitude: 8.5417,
      $geoip_time_zone: 'Europe/Zurich',
      $geoip_subdivision_1_name: 'Zürich',
    });
  });

  it('says only what is known', () => {
    assert.deepEqual(locate('81.2.69.143'), { $geoip_country_code: 'GB' });
    assert.equal(locate('81.2.69.145'), undefined);
    assert.equal(locate('81.2.69.146'), undefined);
  });

  it('knows addresses of IPv4 in IPv6', () => {
    assert.equal(locate('::ffff:81.2.69.144')?.['$geoip_country_code'], 'CH');
  });

  it('places no private address, and nothing that is none', () => {
    for (const address of ['10.1.2.3', '127.0.0.1', 'fe80::1', '', '81.2.69', '81.2.69.142:80', 'x'.repeat(10_000)]) {
      assert.equal(locate(address), undefined, address);
    }
  });

  it('goes without a place where the database is damaged', async () => {
    const bytes = writeMmdb(PLACES);
    bytes.fill(0xff, bytes.indexOf('EC2V') - 40, bytes.indexOf('EC2V'));
    await writeFile(path.join(folder, 'damaged.mmdb'), bytes);
    const locateDamaged = await openGeoip(path.join(folder, 'damaged.mmdb'));
    assert.equal(locateDamaged('81.2.69.142'), undefined);
    assert.equal(locateDamaged('81.2.69.144')?.['$geoip_country_code'], 'CH');
  });

  it('says which variable names a file that is missing or no database', async () => {
    const broken = path.join(folder, 'broken.mmdb');
    await writeFile(broken, writeMmdb(PLACES).subarray(0, -200));
    await assert.rejects(openGeoip(broken), (error) => {
      return error instanceof CommandFailed && /^GEOIP_DB_PATH: .*is not a MaxMind database/.test(error.message);
    });
    await assert.rejects(openGeoip(path.join(folder, 'missing.mmdb')), (error) => {
      return error instanceof CommandFailed && /^GEOIP_DB_PATH: .*missing.mmdb.*ENOENT/.test(error.message);
    });
  });
});
