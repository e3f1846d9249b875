import { afterEach, describe, expect, test } from 'vitest'
import { LabFailure } from '../lab-failure.ts'
import type { Lab } from '../lab-file.ts'
import type { RunningLab } from '../process-driver.ts'
import { LabPool, type LeaseRequest } from './pool.ts'

/** What was done with the labs, in order: `boot 1`, `reset 1 <clock>`, `stop 1`. */
let done: string[] = []
const crashes = new Map<number, string>()

class FakeLab implements RunningLab {
  readonly drive = { kind: 'http', url: 'http://127.0.0.1:1' } as const
  readonly provenance = {}
  readonly evidence = null
  readonly number: number
  clock: string | null

  constructor(number: number, clock: string | null) {
    this.number = number
    this.clock = clock
  }

  logs(): string {
    return ''
  }

  crashed(): string | null {
    return crashes.get(this.number) ?? null
  }

  async reset(o: { readonly clock?: string | null } = {}): Promise<void> {
    this.clock = o.clock === undefined ? this.clock : o.clock
    done.push(`reset ${this.number} ${this.clock}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    done.push(`stop ${this.number}`)
  }
}

function poolOf(boot: (number: number) => Promise<void> = async () => {}): LabPool {
  let booted = 0
  return new LabPool(async (_, { clock }) => {
    const number = ++booted
    done.push(`boot ${number}`)
    await boot(number)
    return new FakeLab(number, clock)
  })
}

const wanted = (o: Partial<LeaseRequest> & { readonly hash?: string } = {}): LeaseRequest => ({
  lab: { dir: '/labs/shop', hash: o.hash ?? 'sha256:1', file: { id: 'shop' } } as unknown as Lab,
  instances: 1,
  role: 'legacy',
  clock: null,
  signal: new AbortController().signal,
  onLog: () => {},
  ...o,
})

afterEach(() => {
  done = []
  crashes.clear()
})

describe('a pool of labs', () => {
  test('boots a lab once for ten that use it one after the other, each from its first state', async () => {
    await using pool = poolOf()
    for (let user = 0; user < 10; user++) {
      const { release } = await pool.lease(wanted())
      await release()
    }
    expect(done).toEqual(['boot 1', ...Array(9).fill('reset 1 null')])
  })

  test('lends a lab to one at a time, in the order they asked', async () => {
    await using pool = poolOf()
    let holders = 0
    const order: number[] = []
    const use = async (user: number): Promise<void> => {
      const { release } = await pool.lease(wanted())
      holders += 1
      expect(holders).toBe(1)
      order.push(user)
      await new Promise(resolve => setTimeout(resolve, 2))
      holders -= 1
      await release()
    }
    await Promise.all([0, 1, 2, 3, 4].map(use))
    expect(order).toEqual([0, 1, 2, 3, 4])
    expect(done.filter(each => each.startsWith('boot'))).toEqual(['boot 1'])
  })

  test('lends two at once where two instances are allowed, and no third', async () => {
    await using pool = poolOf()
    const [first] = await Promise.all([pool.lease(wanted({ instances: 2 })), pool.lease(wanted({ instances: 2 }))])
    const third = pool.lease(wanted({ instances: 2 }))
    expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits')
    await first.release()
    await third
    expect(done).toEqual(['boot 1', 'boot 2', 'reset 1 null'])
  })

  test('keeps the control apart from the legacy', async () => {
    await using pool = poolOf()
    await Promise.all([pool.lease(wanted()), pool.lease(wanted({ role: 'control' }))])
    expect(done).toEqual(['boot 1', 'boot 2'])
  })

  test('puts an instance at the clock of who takes it, and takes the one that stands at it', async () => {
    await using pool = poolOf()
    const one = await pool.lease(wanted({ instances: 2, clock: 'a' }))
    const two = await pool.lease(wanted({ instances: 2, clock: 'b' }))
    await one.release()
    await two.release()
    await pool.lease(wanted({ instances: 2, clock: 'b' }))
    await pool.lease(wanted({ instances: 2, clock: 'c' }))
    expect(done).toEqual(['boot 1', 'boot 2', 'reset 2 b', 'reset 1 c'])
  })

  test('tells everybody why a lab cannot be booted, and tries a third time only after it was told to forget', async () => {
    let broken = true
    await using pool = poolOf(async () => {
      if (broken) throw new LabFailure('lab-boot', 'it fell over', 'mend it')
    })
    const asked = await Promise.allSettled([pool.lease(wanted()), pool.lease(wanted()), pool.lease(wanted())])
    expect(asked.map(each => (each.status === 'rejected' ? each.reason.message : 'lent'))).toEqual([
      'it fell over',
      'it fell over',
      'it fell over',
    ])
    await expect(pool.lease(wanted())).rejects.toThrow('it fell over')
    expect(done).toEqual(['boot 1', 'boot 2'])
    broken = false
    pool.forget()
    await pool.lease(wanted())
    expect(done).toEqual(['boot 1', 'boot 2', 'boot 3'])
  })

  test('does not try a second time what no second try can mend', async () => {
    await using pool = poolOf(async () => {
      throw new LabFailure('lab-isolation', 'it has a way out', 'close it')
    })
    await expect(pool.lease(wanted())).rejects.toThrow('it has a way out')
    await expect(pool.lease(wanted())).rejects.toThrow('it has a way out')
    expect(done).toEqual(['boot 1'])
  })

  test('does not lend a lab that died: the next holder gets a fresh one', async () => {
    await using pool = poolOf()
    const { release } = await pool.lease(wanted())
    crashes.set(1, 'out of memory')
    await release()
    await pool.lease(wanted())
    expect(done).toEqual(['boot 1', 'stop 1', 'boot 2'])
  })

  test('passes the turn on when who waited for it has gone', async () => {
    await using pool = poolOf()
    const { release } = await pool.lease(wanted())
    const gone = new AbortController()
    const given = pool.lease(wanted({ signal: gone.signal }))
    const patient = pool.lease(wanted())
    gone.abort(new Error('gone'))
    await expect(given).rejects.toThrow('gone')
    await release()
    await patient
    expect(done).toEqual(['boot 1', 'reset 1 null'])
  })

  test('boots anew, and stops the old one, when a file of the lab was edited', async () => {
    await using pool = poolOf()
    const { release } = await pool.lease(wanted())
    await release()
    await pool.lease(wanted({ hash: 'sha256:2' }))
    expect(done).toEqual(['boot 1', 'stop 1', 'boot 2'])
  })

  test('stops all that it holds, and lends nothing afterwards', async () => {
    const pool = poolOf()
    await pool.lease(wanted())
    const waiting = pool.lease(wanted())
    const refused = expect(waiting).rejects.toThrow('the run is over')
    await pool[Symbol.asyncDispose]()
    await refused
    await expect(pool.lease(wanted())).rejects.toThrow('the run is over')
    expect(done).toEqual(['boot 1', 'stop 1'])
  })

  test('does not lend a lab whose reset failed, and goes on when it cannot be removed', async () => {
    await using pool = new LabPool(async (_, { clock }) => {
      done.push('boot')
      const lab = new FakeLab(1, clock)
      return Object.assign(lab, {
        reset: async () => {
          throw new LabFailure('lab-boot', 'the reset did not work', 'mend it')
        },
        [Symbol.asyncDispose]: async () => {
          throw new Error('the engine is gone')
        },
      })
    })
    const { release } = await pool.lease(wanted())
    await release()
    await expect(pool.lease(wanted())).rejects.toThrow('the reset did not work')
    await pool.lease(wanted())
    expect(done).toEqual(['boot', 'boot'])
  })

  test('discards a lab whose reset was broken off: nobody knows its state', async () => {
    const gone = new AbortController()
    await using pool = new LabPool(async (_, { clock }) => {
      done.push('boot')
      const lab = new FakeLab(1, clock)
      return Object.assign(lab, {
        reset: async () => {
          gone.abort(new Error('gone'))
          throw new LabFailure('lab-boot', 'broken off', 'run again')
        },
      })
    })
    const { release } = await pool.lease(wanted())
    await release()
    await expect(pool.lease(wanted({ signal: gone.signal }))).rejects.toThrow('broken off')
    expect(done).toEqual(['boot', 'stop 1'])
  })

  test('says for how long it waited for a lab that others hold', async () => {
    await using pool = new LabPool(async (_, { clock }) => new FakeLab(1, clock), 20)
    await pool.lease(wanted())
    await expect(pool.lease(wanted())).rejects.toThrow('for 20 ms (instances: 1)')
  })
})
