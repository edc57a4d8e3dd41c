// SPDX-License-Identifier: Apache-2.0
package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.Origin;
import io.holdfast.internal.StateCodec.Versioned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {
  @TempDir private Path folder;

  private StateFile file() {
    return new StateFile(folder.resolve("a.lock"), folder.resolve("draft"));
  }

  private static StateRecord record(long token) {
    return new StateRecord(
        "a", token, List.of(row(Mode.EXCLUSIVE, null, token)), List.of(), List.of());
  }

  private static StateRecord crowded(int waiters) {
    List<Row> waiting =
        IntStream.range(0, waiters).mapToObj(i -> row(Mode.SHARED, "job " + i, 0)).toList();
    return new StateRecord("a", 7, List.of(), waiting, List.of());
  }

  private static Row row(Mode mode, @Nullable String purpose, long token) {
    Origin origin = new Origin("process", "höst", 4711, "application");
    return new Row(
        new Holder("process", token + 3), mode, 30_000_000_000L, 2, purpose, origin, token, 5, 6);
  }

  @Nested
  class Encoding {
    private final StateRecord record =
        new StateRecord(
            "数/🔒 \ud83d",
            Long.MAX_VALUE - 1,
            List.of(row(Mode.EXCLUSIVE, null, 1), row(Mode.SHARED, "", 2)),
            List.of(row(Mode.permits(2, 5), "backup of Ä", 0)),
            List.of(row(Mode.EXCLUSIVE, "x".repeat(70_000), 3)));

    @Test
    void gives_back_what_it_was_given() {
      byte[] bytes = StateCodec.encode(record, 42);
      assertThat(StateCodec.decode(bytes, 0, bytes.length)).isEqualTo(new Versioned(record, 42));
    }

    @Test
    void of_which_any_part_is_missing_says_nothing() {
      byte[] bytes = StateCodec.encode(record(9), 42);
      for (int length = 0; length < bytes.length; length++) {
        byte[] torn = Arrays.copyOf(Arrays.copyOf(bytes, length), bytes.length);
        if (!Arrays.equals(torn, bytes)) {
          assertThat(StateCodec.decode(torn, 0, torn.length)).as("%d bytes", length).isNull();
        }
        assertThat(StateCodec.decode(bytes, 0, length)).as("%d bytes", length).isNull();
      }
    }

    @Test
    void in_which_any_bit_was_changed_says_nothing() {
      byte[] bytes = StateCodec.encode(record(9), 42);
      for (int bit = 0; bit < bytes.length * 8; bit++) {
        byte[] changed = bytes.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        assertThat(StateCodec.decode(changed, 0, changed.length)).as("bit %d", bit).isNull();
      }
    }
  }

  @Nested
  class Writing {
    @Test
    void is_read_by_everybody_from_then_on() throws IOException {
      StateFile writer = file();
      assertThat(writer.read()).isNull();
      for (int token = 1; token < 10; token++) {
        writer.write(record(token));
        assertThat(file().read()).isEqualTo(record(token));
        assertThat(file().peek()).isEqualTo(record(token));
      }
    }

    @Test
    void makes_room_for_more_rows_when_they_come() throws IOException {
      StateFile writer = file();
      for (int waiters : new int[] {0, 10, 100, 1_000, 5_000, 1}) {
        writer.read();
        writer.write(crowded(waiters));
        assertThat(file().read()).isEqualTo(crowded(waiters));
      }
      assertThat(folder.resolve("draft")).doesNotExist();
    }

    @Test
    void that_was_cut_short_after_any_byte_never_happened() throws IOException {
      StateFile writer = file();
      writer.read();
      writer.write(record(1));
      writer.write(record(2));
      byte[] before = Files.readAllBytes(folder.resolve("a.lock"));
      writer.write(record(3));
      byte[] after = Files.readAllBytes(folder.resolve("a.lock"));
      int slot = Arrays.mismatch(before, after);
      int length = StateCodec.encode(record(3), 3).length;
      for (int written = slot; written <= slot + length; written++) {
        byte[] torn = before.clone();
        System.arraycopy(after, slot, torn, slot, written - slot);
        Files.write(folder.resolve("a.lock"), torn);
        StateRecord expected = Arrays.equals(torn, after) ? record(3) : record(2);
        assertThat(file().read()).as("%d bytes", written).isEqualTo(expected);
      }
    }

    @Test
    void that_was_cut_short_is_overwritten_by_the_next_one() throws IOException {
      StateFile writer = file();
      writer.read();
      writer.write(record(1));
      byte[] bytes = Files.readAllBytes(folder.resolve("a.lock"));
      bytes[0] = 1; // The slot that the killed writer had begun.
      Files.write(folder.resolve("a.lock"), bytes);
      Files.writeString(folder.resolve("draft"), "half a file");
      StateFile next = file();
      assertThat(next.read()).isEqualTo(record(1));
      next.write(record(2));
      assertThat(file().read()).isEqualTo(record(2));
      next.write(crowded(1_000));
      assertThat(file().read()).isEqualTo(crowded(1_000));
    }
  }

  @Nested
  class Damage {
    @Test
    void to_both_slots_is_reported_and_names_the_file() throws IOException {
      Files.write(folder.resolve("a.lock"), new byte[8192]);
      assertThatThrownBy(() -> file().read())
          .isInstanceOf(UnfitException.class)
          .hasMessageContaining("a.lock")
          .hasMessageContaining("damaged");
    }
  }
}
