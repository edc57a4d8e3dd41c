// SPDX-License-Identifier: Apache-2.0
package io.holdfast.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Completion scripts: commands, their options, and names of locks, for which the script asks the
 * store when the tabulator is pressed. After two dashes, the commands and files of the shell.
 */
final class Completions {
  private static final Set<String> NAMING =
      Set.of("run", "elect", "list", "ls", "inspect", "show", "watch", "force-release");

  private final Map<String, List<OptionSpec>> options = new TreeMap<>();
  private final Map<String, String> headers = new TreeMap<>();

  Completions(CommandLine line) {
    line.getSubcommands()
        .forEach(
            (name, command) -> {
              options.put(name, command.getCommandSpec().options());
              headers.put(name, String.join(" ", command.getCommandSpec().usageMessage().header()));
            });
  }

  /** Options of a command; those with a value, or all. */
  private String words(String command, boolean isWithValueOnly) {
    LinkedHashSet<String> words = new LinkedHashSet<>();
    for (OptionSpec option : options.getOrDefault(command, List.of())) {
      if (!option.hidden() && (!isWithValueOnly || option.arity().max() > 0)) {
        words.addAll(List.of(option.names()));
      }
    }
    return String.join(" ", words);
  }

  private String cases(boolean isWithValueOnly) {
    StringBuilder cases = new StringBuilder();
    for (String command : options.keySet()) {
      cases.append("    %s) echo '%s' ;;%n".formatted(command, words(command, isWithValueOnly)));
    }
    return cases.toString();
  }

  /** What bash and zsh share: functions that print words. */
  private String shared() {
    return """
        _holdfast_commands='%s --help --version'
        _holdfast_options() {
          case $1 in
        %s  esac
        }
        # Those that take a value, which is no name of a lock.
        _holdfast_valued() {
          case $1 in
        %s  esac
        }
        # Names of locks. The store is that of the line or of the environment.
        _holdfast_names() {
          timeout 5 "$@" 2>/dev/null </dev/null
        }
        """
        .formatted(String.join(" ", options.keySet()), cases(false), cases(true));
  }

  private String naming() {
    return String.join("|", NAMING.stream().sorted().toList());
  }

  String bash() {
    return "# bash completion for holdfast\n"
        + shared()
        + """
        _holdfast() {
          local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} before=${COMP_WORDS[COMP_CWORD-1]} i
          local -a ask=("${COMP_WORDS[0]}" ls --names)
          COMPREPLY=()
          if [ "$COMP_CWORD" -le 1 ]; then
            COMPREPLY=($(compgen -W "$_holdfast_commands" -- "$word"))
            return
          fi
          for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
              --)
                if [ "$i" -eq $((COMP_CWORD - 1)) ]; then
                  COMPREPLY=($(compgen -c -- "$word"))
                else
                  COMPREPLY=($(compgen -f -- "$word"))
                fi
                return
                ;;
              --url | --password-file) ask+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]}") ;;
            esac
          done
          case " $(_holdfast_valued "$command") " in
            *" $before "*)
              case $before in --password-file | --svg) COMPREPLY=($(compgen -f -- "$word")) ;; esac
              return
              ;;
          esac
          case $word in
            -*) COMPREPLY=($(compgen -W "$(_holdfast_options "$command") --" -- "$word")) ;;
            *)
              case $command in
                %s)
                  # A colon ends a word for bash: what stands before it in the line is not to be inserted again.
                  local name begin=$word
                  type __ltrim_colon_completions >/dev/null 2>&1 && _get_comp_words_by_ref -n : -c begin 2>/dev/null
                  while IFS= read -r name; do
                    case $name in "$begin"*) COMPREPLY+=("$(printf %%q "$name")") ;; esac
                  done < <(_holdfast_names "${ask[@]}" -- "$begin")
                  ! type __ltrim_colon_completions >/dev/null 2>&1 || __ltrim_colon_completions "$begin"
                  ;;
              esac
              ;;
          esac
        }
        complete -F _holdfast holdfast
        """
            .formatted(naming());
  }

  String zsh() {
    return "#compdef holdfast\n"
        + shared()
        + """
        _holdfast() {
          local command=${words[2]-} before=${words[CURRENT-1]} i
          local -a ask
          ask=("${words[1]}" ls --names)
          if (( CURRENT <= 2 )); then
            compadd -- ${=_holdfast_commands}
            return
          fi
          for ((i = 3; i < CURRENT; i++)); do
            case ${words[i]} in
              --)
                shift $i words
                (( CURRENT -= i ))
                _normal
                return
                ;;
              --url | --password-file) ask+=("${words[i]}" "${words[i+1]}") ;;
            esac
          done
          case " $(_holdfast_valued "$command") " in
            *" $before "*)
              case $before in --password-file | --svg) _files ;; esac
              return
              ;;
          esac
          case ${words[CURRENT]} in
            -*) compadd -- ${=$(_holdfast_options "$command")} -- ;;
            *)
              case $command in
                %s) compadd -- ${(f)"$(_holdfast_names "${ask[@]}")"} ;;
              esac
              ;;
          esac
        }
        # As a file of the function path, or by 'source'.
        if [ "${funcstack[1]-}" = _holdfast ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
        """
            .formatted(naming());
  }

  String fish() {
    List<String> lines = new ArrayList<>();
    lines.add("# fish completion for holdfast");
    lines.add("complete -c holdfast -f");
    lines.add("complete -c holdfast -n __fish_use_subcommand -l help -l version");
    headers.forEach(
        (name, header) ->
            lines.add(
                "complete -c holdfast -n __fish_use_subcommand -a %s -d '%s'"
                    .formatted(name, quoted(header))));
    options.forEach(
        (command, all) ->
            all.stream()
                .filter(option -> !option.hidden())
                .forEach(option -> lines.add(fishOption(command, option))));
    for (String command : NAMING.stream().sorted().toList()) {
      lines.add(
          "complete -c holdfast -n '__fish_seen_subcommand_from %s; and not contains -- -- (commandline -opc)' -a '(holdfast ls --names 2>/dev/null </dev/null)'"
              .formatted(command));
    }
    lines.add(
        "complete -c holdfast -n 'contains -- -- (commandline -opc)' -a '(__fish_complete_command)' -F");
    return String.join("\n", lines) + "\n";
  }

  private static String fishOption(String command, OptionSpec option) {
    StringBuilder line = new StringBuilder("complete -c holdfast");
    line.append(" -n '__fish_seen_subcommand_from ").append(command).append("'");
    for (String name : option.names()) {
      line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    if (option.arity().max() > 0) {
      line.append(option.paramLabel().equals("FILE") ? " -r -F" : " -x");
    }
    String words = String.join(" ", option.description()).replace("$$", "$");
    return line.append(" -d '").append(quoted(words)).append('\'').toString();
  }

  private static String quoted(String words) {
    return words.replace("\\", "\\\\").replace("'", "\\'");
  }
}
